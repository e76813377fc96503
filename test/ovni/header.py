# SPDX-License-Identifier: MIT
"""The public headers compile alone, as every language and compiler there is.

usage: header.py DIRECTORY-OF-ovni.h DIRECTORY-OF-ovni_emit.h
"""
import shutil
import subprocess
import sys

ways = [[cc, '-x', 'c', f'-std={std}'] for cc in ('cc', 'gcc', 'clang') for std in ('c11', 'gnu11', 'c17')]
ways += [[cxx, '-x', 'c++', f'-std={std}'] for cxx in ('c++', 'g++', 'clang++') for std in ('c++11', 'c++17')]
strict = ['-pedantic', '-Wall', '-Wextra', '-Wundef', '-Werror', '-fsyntax-only', '-I', sys.argv[1], '-I', sys.argv[2], '-']
# Two times, and with what programs expect it to bring along.
source = '''#include <ovni.h>
#include <ovni.h>
#include <ovni_emit.h>
int f(void);
int f(void)
{
	char path[PATH_MAX];
	uint64_t n = (uint64_t)UINT32_MAX + (uint64_t)sizeof(path);
	pid_t tid = 1;
	printf("%d", (int)tid);
	ovni_version_check();
	ovni_emit_u64("OB.", 0, n);
	return strlen("a") == n ? EXIT_SUCCESS : INT_MAX;
}
'''
done = 0
failed = 0
for way in ways:
    if not shutil.which(way[0]):
        continue
    p = subprocess.run(way + strict, input=source, text=True, capture_output=True)
    done += 1
    if p.returncode:
        failed += 1
        print(' '.join(way), p.stderr, sep='\n')
print(f'{done} ways, {failed} failed')
sys.exit(1 if failed or not done else 0)
