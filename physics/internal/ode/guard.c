// Threads and errors. libode keeps data per thread, and ends the process after its error handler returns. Every call
// into libode starts in this file, which handles both.
#include "world.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t random_lock = PTHREAD_MUTEX_INITIALIZER; // guards libode's only random generator

static __thread int thread_ready, random_locked;
static __thread omni_world *current;
static __thread jmp_buf *way_out;

static void record(char text[256], const char *kind, int number, const char *format, va_list args) {
	int n = snprintf(text, 256, "libode %s %d: ", kind, number);
	vsnprintf(text + n, 256 - n, format, args);
}

// leave returns to omni_guarded past libode's frames, because returning to libode would end the process. The world is
// then half-stepped and never used again.
static void leave(const char *kind, int number, const char *format, va_list args) {
	if (!current) {
		vfprintf(stderr, format, args);
		return;
	}
	record(current->error, kind, number, format, args);
	longjmp(*way_out, 1);
}

static void on_error(int n, const char *format, va_list args) { leave("error", n, format, args); }
static void on_debug(int n, const char *format, va_list args) { leave("assertion", n, format, args); }

// libode continues after a message, not always with valid results. solve.c therefore checks for a text. The text is
// also kept for the error in case the state becomes invalid later.
static void on_message(int n, const char *format, va_list args) {
	if (current) record(current->warning, "warning", n, format, args);
}

static void start(void) {
	dInitODE2(0);
	dSetErrorHandler(on_error);
	dSetDebugHandler(on_debug);
	dSetMessageHandler(on_message);
}

int omni_guarded(omni_world *w, void (*work)(omni_world *, double), double arg) {
	jmp_buf here;
	pthread_once(&once, start);
	if (!thread_ready) {
		if (!dAllocateODEDataForThread(dAllocateMaskAll)) {
			snprintf(w->error, sizeof w->error, "libode has no memory for this thread");
			return -1;
		}
		thread_ready = 1;
	}
	current = w, way_out = &here;
	if (setjmp(here) == 0) work(w, arg);
	current = NULL, way_out = NULL;
	if (random_locked) {
		random_locked = 0;
		pthread_mutex_unlock(&random_lock);
	}
	return w->error[0] ? -1 : 0;
}

int omni_iterate(omni_world *w, double dt) {
	// The iterative solver uses a random generator that all worlds share: each world saves and restores its own seed.
	pthread_mutex_lock(&random_lock);
	random_locked = 1;
	dRandSetSeed(w->config.seed);
	int ok = dWorldQuickStep(w->world, dt);
	w->config.seed = dRandGetSeed();
	random_locked = 0;
	pthread_mutex_unlock(&random_lock);
	return ok;
}
