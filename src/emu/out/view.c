/* SPDX-License-Identifier: MIT */
#include "view.h"

#include "paraver.h"

#include <inttypes.h>

enum {
	WIDTH = 900,         /* of windows, in pixels */
	ROW_HEIGHT = 20,     /* names of rows do not overlap, */
	HEIGHT_MIN = 150,    /* in windows that are not too small */
	HEIGHT_MAX = 900,    /* and fit on a screen */
	HISTOGRAM_MAX = 450, /* two below each other */
	COLUMNS = 10000,     /* Paraver gives each value a column up to there */
};

#define RULER "################################################################################\n"

unsigned
view_height(uint32_t nrows)
{
	uint32_t most = HEIGHT_MAX / ROW_HEIGHT;
	unsigned height = ROW_HEIGHT * (nrows < most ? nrows : most);
	return height < HEIGHT_MIN ? HEIGHT_MIN : height;
}

static void
put_functions(struct wbuf *w, bool next)
{
	wbuf_printf(w,
		"window_selected_functions { 14, { {cpu, Active Thd}, {appl, Adding}, {task, Adding}, {thread, %s Evt Val}, "
		"{node, Adding}, {system, Adding}, {workload, Adding}, {from_obj, All}, {to_obj, All}, {tag_msg, All}, "
		"{size_msg, All}, {bw_msg, All}, {evt_type, =}, {evt_value, All}, } }\n"
		"window_compose_functions { 9, { {compose_cpu, As Is}, {compose_appl, As Is}, {compose_task, As Is}, "
		"{compose_thread, As Is}, {compose_node, As Is}, {compose_system, As Is}, {compose_workload, As Is}, "
		"{topcompose1, As Is}, {topcompose2, As Is}, } }\n",
		next ? "Next" : "Last");
}

static void
put_palette(struct wbuf *w, const struct palette *p)
{
	wbuf_printf(w, "window_custom_color_enabled true\nwindow_custom_color_palette ");
	for (const struct color *c = p->all; c < p->all + p->n; c++)
		wbuf_printf(w, "%s{%" PRId64 ".000000000000:%" PRIu32 ",%" PRIu32 ",%" PRIu32 "}", c == p->all ? "" : ",",
			c->value, c->rgb >> 16, c->rgb >> 8 & 0xff, c->rgb & 0xff);
	wbuf_put(w, "\n", 1);
}

/* Writes a timeline; one that is there for its histograms is not opened. */
static void
put_timeline(struct wbuf *w, const struct view *v, bool open)
{
	const struct view_decl *d = &v->decl->view;
	wbuf_printf(w, "#ParaverCFG\nConfigFile.Version: 3.4\nConfigFile.NumWindows: 1\n"
		       "ConfigFile.BeginDescription\n" VIEW_MARK "\nConfigFile.EndDescription\n\n\n" RULER "< NEW DISPLAYING WINDOW ");
	paraver_put_text(w, v->title);
	wbuf_printf(w, " >\n" RULER "window_name ");
	paraver_put_text(w, v->title);
	wbuf_printf(w,
		"\nwindow_type single\n"
		"window_id 1\n"
		"window_position_x 100\n"
		"window_position_y 100\n"
		"window_width %d\n"
		"window_height %u\n"
		"window_comm_lines_enabled true\n"
		"window_flags_enabled false\n"
		"window_noncolor_mode true\n",
		WIDTH, v->height);
	if (d->gradient)
		wbuf_printf(w, "window_color_mode window_in_null_gradient_mode\n");
	else if (v->palette->n)
		put_palette(w, v->palette);
	wbuf_printf(w,
		"window_logical_filtered true\n"
		"window_physical_filtered false\n"
		"window_comm_fromto true\n"
		"window_comm_tagsize true\n"
		"window_comm_typeval true\n"
		"window_units Microseconds\n"
		"window_maximum_y 1000.0\n"
		"window_minimum_y 1.0\n"
		"window_compute_y_max true\n"
		"window_level thread\n"
		"window_scale_relative 1.000000000000\n"
		"window_end_time_relative 1.000000000000\n"
		"window_object appl { 1, { All } }\n"
		"window_begin_time_relative 0.000000000000\n"
		"window_open %s\n"
		"window_drawmode %s\n"
		"window_drawmode_rows draw_randnotzero\n"
		"window_pixel_size 1\n"
		"window_labels_to_draw 1\n",
		open ? "true" : "false", d->draw_random ? "draw_random" : "draw_randnotzero");
	put_functions(w, d->next_value);
	wbuf_printf(w, "window_filter_module evt_type 1 %d\nwindow_filter_module evt_type_label 1 \"", v->decl->prv_type);
	paraver_put_text(w, v->label);
	wbuf_printf(w, "\"\n");
}

/* Writes a table of rows by values, as colours of a gradient and numbers: columns are the values that occur, 0 too. */
static void
put_histogram(struct wbuf *w, const struct view *v, unsigned place, const char *what, const char *statistic)
{
	unsigned height = v->height < HISTOGRAM_MAX ? v->height : HISTOGRAM_MAX;
	wbuf_printf(w, "\n< NEW ANALYZER2D >\nAnalyzer2D.Name: ");
	paraver_put_text(w, v->title);
	wbuf_printf(w,
		": %s\n"
		"Analyzer2D.X: %u\n"
		"Analyzer2D.Y: %u\n"
		"Analyzer2D.Width: %d\n"
		"Analyzer2D.Height: %u\n"
		"Analyzer2D.ControlWindow: 1\n"
		"Analyzer2D.DataWindow: 1\n"
		"Analyzer2D.Accumulator: Semantic\n"
		"Analyzer2D.Statistic: %s\n"
		"Analyzer2D.CalculateAll: True\n"
		"Analyzer2D.HideCols: True\n"
		"Analyzer2D.HorizVert: Horizontal\n"
		"Analyzer2D.Color: True\n"
		"Analyzer2D.SemanticColor: True\n"
		"Analyzer2D.Zoom: Disabled\n"
		"Analyzer2D.SortCols: False\n"
		"Analyzer2D.SortCriteria: Average\n"
		"Analyzer2D.AnalysisLimits: Alltrace\n"
		"Analyzer2D.ComputeYScale: True\n"
		"Analyzer2D.ComputeYScaleZero: True\n"
		"Analyzer2D.Minimum: 0.000000000000\n"
		"Analyzer2D.Maximum: %" PRId64 ".000000000000\n"
		"Analyzer2D.Delta: 1.000000000000\n"
		"Analyzer2D.ComputeGradient: True\n"
		"Analyzer2D.PixelSize: 1\n"
		"Analyzer2D.ColorMode: window_in_null_gradient_mode\n"
		"Analyzer2D.ShowOnlyTotals: False\n"
		"Analyzer2D.ShortHeaderLabels: False\n",
		what, 100 + place % 2 * WIDTH, 100 + place / 2 * height, WIDTH, height, statistic, v->palette->highest);
}

/* Paramedir writes the last one: the share of time. */
void
view_put_histograms(struct wbuf *w, const struct view *v)
{
	put_timeline(w, v, false);
	put_histogram(w, v, 1, "time", "Time");
	put_histogram(w, v, 2, "number of times", "# Bursts");
	put_histogram(w, v, 3, "mean duration", "Average Burst Time");
	put_histogram(w, v, 0, "time in %", "% Time");
}

bool
view_has_histogram(const struct view *v)
{
	return !v->decl->view.gradient && v->palette->nlabels && v->palette->highest < COLUMNS;
}

void
view_put(struct wbuf *w, const struct view *v)
{
	put_timeline(w, v, true);
}
