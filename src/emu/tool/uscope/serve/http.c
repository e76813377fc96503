/* SPDX-License-Identifier: MIT */
#include "http.h"

#include "range.h"

#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
	BLOCK = 256 * 1024,  /* bytes of a file that are read at a time */
	REQUEST_MS = 10000,  /* a request has to be complete after so long */
	STUCK_S = 30,        /* nobody took a byte of an answer for so long */
	TURN_MS = 1000,      /* how often that is looked at */
	HEADERS_MAX = 16384, /* bytes of a request; longer ones are refused */
	LISTEN = 64,
};

static int64_t
now_ms(void)
{
	struct timespec t;
	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* ---- Connections. ---- */

static enum MHD_Result
admit(void *self, const struct sockaddr *address, socklen_t n)
{
	struct sockaddr_in in = { 0 };
	(void)self;
	memcpy(&in, address, n < sizeof(in) ? n : sizeof(in));
	return in.sin_family == AF_INET && ntohl(in.sin_addr.s_addr) >> 24 == IN_LOOPBACKNET ? MHD_YES : MHD_NO;
}

static void
connected(void *self, struct MHD_Connection *c, void **slot, enum MHD_ConnectionNotificationCode what)
{
	struct http *h = self;
	if (what == MHD_CONNECTION_NOTIFY_CLOSED && *slot) {
		((struct http_client *)*slot)->socket = -1;
		h->nclients--;
	}
	if (what != MHD_CONNECTION_NOTIFY_STARTED)
		return;
	for (size_t i = 0; i < HTTP_CLIENTS && !*slot; i++) {
		if (h->clients[i].socket >= 0)
			continue;
		*slot = &h->clients[i];
		h->clients[i] = (struct http_client){ .socket = MHD_get_connection_info(c, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd,
			.asked_ms = now_ms() };
		h->nclients++;
	}
}

static struct http_client *
client_of(struct MHD_Connection *c)
{
	return MHD_get_connection_info(c, MHD_CONNECTION_INFO_SOCKET_CONTEXT)->socket_context;
}

static void
answered(void *self, struct MHD_Connection *c, void **request, enum MHD_RequestTerminationCode why)
{
	struct http_client *client = client_of(c);
	(void)self;
	(void)request;
	(void)why;
	if (client)
		client->asked_ms = now_ms();
}

/* Ends connections whose request takes too long, also one that comes letter by letter. */
static void
leave_slow(struct http *h)
{
	int64_t now = now_ms();
	for (size_t i = 0; i < HTTP_CLIENTS; i++) {
		const struct http_client *client = &h->clients[i];
		if (client->socket >= 0 && client->asked_ms >= 0 && now - client->asked_ms > REQUEST_MS)
			(void)shutdown(client->socket, SHUT_RDWR);
	}
}

/* ---- Answers. ---- */

/* Whether a request is for this machine: a page of another site whose name has become that of this machine comes with its own name.
 * Any port will do, as ssh -L may have changed it. */
static bool
is_own_name(const char *host)
{
	static const char *const names[] = { "127.0.0.1", "localhost", "[::1]" };
	for (size_t i = 0; host && i < sizeof(names) / sizeof(names[0]); i++) {
		size_t n = strlen(names[i]);
		if (strncasecmp(host, names[i], n) != 0)
			continue;
		const char *port = host + n;
		if (!*port || (*port == ':' && port[1 + strspn(port + 1, "0123456789")] == 0))
			return true;
	}
	return false;
}

/* Takes the response, which may be NULL. */
static enum MHD_Result
give(struct MHD_Connection *c, unsigned status, struct MHD_Response *r, const char *const (*headers)[2], size_t n)
{
	static const char *const always[][2] = {
		{ MHD_HTTP_HEADER_CACHE_CONTROL, "no-store" },
		{ "X-Content-Type-Options", "nosniff" },
		{ "Cross-Origin-Resource-Policy", "same-origin" },
		{ "Referrer-Policy", "no-referrer" },
	};
	bool good = r;
	for (size_t i = 0; good && i < sizeof(always) / sizeof(always[0]); i++)
		good = MHD_add_response_header(r, always[i][0], always[i][1]) == MHD_YES;
	for (size_t i = 0; good && i < n; i++)
		good = MHD_add_response_header(r, headers[i][0], headers[i][1]) == MHD_YES;
	enum MHD_Result rc = good ? MHD_queue_response(c, status, r) : MHD_NO;
	if (r)
		MHD_destroy_response(r);
	return rc;
}

static enum MHD_Result
refuse(struct MHD_Connection *c, unsigned status)
{
	static const char *const headers[][2] = {
		{ "Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'" },
		{ MHD_HTTP_HEADER_ALLOW, "GET, HEAD" },
	};
	static char nothing[1];
	return give(c, status, MHD_create_response_from_buffer(0, nothing, MHD_RESPMEM_PERSISTENT), headers,
		status == MHD_HTTP_METHOD_NOT_ALLOWED ? 2 : 1);
}

static ssize_t
read_part(void *self, uint64_t pos, char *to, size_t n)
{
	const struct http_client *client = self;
	ssize_t got;
	do
		got = pread(client->fd, to, n, (off_t)(client->first + pos));
	while (got < 0 && errno == EINTR);
	return got > 0 ? got : MHD_CONTENT_READER_END_WITH_ERROR;
}

static enum MHD_Result
give_file(struct MHD_Connection *c, struct http_client *client, const struct http_file *f, const char *range)
{
	struct stat st;
	if (fstat(f->fd, &st) != 0)
		return refuse(c, MHD_HTTP_INTERNAL_SERVER_ERROR);
	uint64_t size = (uint64_t)st.st_size;
	uint64_t n = size;
	char part[80] = "";
	unsigned status = MHD_HTTP_OK;
	client->fd = f->fd;
	switch (range_parse(range, size, &client->first, &n)) {
	case RANGE_PART:
		status = MHD_HTTP_PARTIAL_CONTENT;
		(void)snprintf(part, sizeof(part), "bytes %" PRIu64 "-%" PRIu64 "/%" PRIu64, client->first, client->first + n - 1, size);
		break;
	case RANGE_NONE:
		status = MHD_HTTP_RANGE_NOT_SATISFIABLE;
		(void)snprintf(part, sizeof(part), "bytes */%" PRIu64, size);
		n = 0;
		break;
	case RANGE_ALL:
	default: client->first = 0; break;
	}
	const char *const headers[][2] = {
		{ MHD_HTTP_HEADER_CONTENT_TYPE, f->type },
		{ "Content-Security-Policy", f->policy },
		{ MHD_HTTP_HEADER_ACCEPT_RANGES, "bytes" },
		{ MHD_HTTP_HEADER_CONTENT_RANGE, part },
	};
	return give(c, status, MHD_create_response_from_callback(n, BLOCK, read_part, client, NULL), headers, status == MHD_HTTP_OK ? 3 : 4);
}

static const char *
header(struct MHD_Connection *c, const char *name)
{
	return MHD_lookup_connection_value(c, MHD_HEADER_KIND, name);
}

/* Whether the client sends more than the headers. */
static bool
has_body(struct MHD_Connection *c)
{
	const char *size = header(c, MHD_HTTP_HEADER_CONTENT_LENGTH);
	return header(c, MHD_HTTP_HEADER_TRANSFER_ENCODING) || (size && strcmp(size, "0") != 0);
}

/* Called when the headers of a request are there, and again at its end. An answer to the first call ends the connection after it:
 * no body is read. */
static enum MHD_Result
answer(void *self, struct MHD_Connection *c, const char *url, const char *method, const char *version, const char *body, size_t *nbody, void **request)
{
	const struct http *h = self;
	struct http_client *client = client_of(c);
	(void)version;
	(void)body;
	(void)nbody;
	if (!client)
		return MHD_NO;
	if (!*request && !has_body(c)) {
		*request = client;
		return MHD_YES;
	}
	client->asked_ms = -1;
	bool get = strcmp(method, MHD_HTTP_METHOD_GET) == 0;
	if (!is_own_name(header(c, MHD_HTTP_HEADER_HOST)))
		return refuse(c, MHD_HTTP_MISDIRECTED_REQUEST);
	if (!get && strcmp(method, MHD_HTTP_METHOD_HEAD) != 0)
		return refuse(c, MHD_HTTP_METHOD_NOT_ALLOWED);
	if (url[0] != '/' || strncmp(url + 1, h->secret, HTTP_SECRET) != 0 || url[1 + HTTP_SECRET] != '/')
		return refuse(c, MHD_HTTP_NOT_FOUND);
	/* A range that depends on a version is passed over, as no version was told. */
	const char *range = get && !header(c, MHD_HTTP_HEADER_IF_RANGE) ? header(c, MHD_HTTP_HEADER_RANGE) : NULL;
	for (size_t i = 0; i < h->nfiles; i++)
		if (strcmp(url + HTTP_SECRET + 2, h->files[i].name) == 0)
			return give_file(c, client, &h->files[i], range);
	return refuse(c, MHD_HTTP_NOT_FOUND);
}

/* ---- The server. ---- */

/* Leaves %NN in paths as it is: none of ours has any. */
static size_t
keep_escapes(void *self, struct MHD_Connection *c, char *text)
{
	(void)self;
	(void)c;
	return strlen(text);
}

/* Returns the socket, or -errno. */
static int
listen_here(uint16_t *port)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK), .sin_port = htons(*port) };
	socklen_t n = sizeof(at);
	int on = 1;
	int s = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (s < 0)
		return -errno;
	/* A port whose last connections still fade may be had again. */
	if (setsockopt(s, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) != 0 || bind(s, (struct sockaddr *)&at, n) != 0 || listen(s, LISTEN) != 0 ||
		getsockname(s, (struct sockaddr *)&at, &n) != 0) {
		int err = errno;
		(void)close(s);
		return -err;
	}
	*port = ntohs(at.sin_port);
	return s;
}

int
http_open(struct http *h, const struct http_file *files, size_t nfiles, uint16_t port)
{
	uint8_t random[HTTP_SECRET / 2];
	*h = (struct http){ .files = files, .nfiles = nfiles, .port = port };
	for (size_t i = 0; i < HTTP_CLIENTS; i++)
		h->clients[i].socket = -1;
	if (getrandom(random, sizeof(random), 0) != (ssize_t)sizeof(random))
		return -errno;
	for (size_t i = 0; i < sizeof(random); i++)
		(void)snprintf(h->secret + 2 * i, 3, "%02x", random[i]);
	h->listening = listen_here(&h->port);
	if (h->listening < 0)
		return h->listening;
	h->daemon = MHD_start_daemon(MHD_NO_FLAG, 0, admit, NULL, answer, h,
		MHD_OPTION_LISTEN_SOCKET, h->listening,
		MHD_OPTION_CONNECTION_LIMIT, (unsigned)HTTP_CLIENTS,
		MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)STUCK_S,
		MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)HEADERS_MAX,
		MHD_OPTION_NOTIFY_CONNECTION, connected, h,
		MHD_OPTION_NOTIFY_COMPLETED, answered, NULL,
		MHD_OPTION_UNESCAPE_CALLBACK, keep_escapes, NULL,
		MHD_OPTION_STRICT_FOR_CLIENT, 1,
		MHD_OPTION_SIGPIPE_HANDLED_BY_APP, 1,
		MHD_OPTION_END);
	if (h->daemon)
		return 0;
	(void)close(h->listening);
	return -ENOMEM;
}

void
http_serve(struct http *h, const sigset_t *mask)
{
	/* With epoll, the library misses the end of a connection that comes right behind its last bytes. */
	fd_set to_read;
	fd_set to_write;
	fd_set broken;
	int last = -1;
	MHD_UNSIGNED_LONG_LONG ms = 0;
	FD_ZERO(&to_read);
	FD_ZERO(&to_write);
	FD_ZERO(&broken);
	(void)MHD_get_fdset(h->daemon, &to_read, &to_write, &broken, &last);
	if (h->nclients == HTTP_CLIENTS) /* the next one waits */
		FD_CLR(h->listening, &to_read);
	bool due = MHD_get_timeout(h->daemon, &ms) == MHD_YES;
	if (h->nclients && (!due || ms > TURN_MS)) {
		due = true;
		ms = TURN_MS;
	}
	struct timespec wait = { .tv_sec = (time_t)(ms / 1000), .tv_nsec = (long)(ms % 1000 * 1000000) };
	if (pselect(last + 1, &to_read, &to_write, &broken, due ? &wait : NULL, mask) < 0)
		return;
	(void)MHD_run_from_select(h->daemon, &to_read, &to_write, &broken);
	leave_slow(h);
}

void
http_close(struct http *h)
{
	if (h->daemon)
		MHD_stop_daemon(h->daemon);
}
