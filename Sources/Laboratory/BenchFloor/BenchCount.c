#include "BenchFloor.h"

/* Without the empty assembly a compiler would turn the call of body into a jump, so that valgrind would not see it inside
 * this function. It would also remove the calls of bench_end_part, which does nothing else. */
__attribute__((noinline)) void bench_run_counted(void (*body)(void *), void *context) {
    body(context);
    __asm__ volatile("" ::: "memory");
}

__attribute__((noinline)) void bench_end_part(void) { __asm__ volatile("" ::: "memory"); }
