#include "BenchFloor.h"

/* The empty assembly keeps the call from becoming a jump out of this function, and the other function from being removed. */
__attribute__((noinline)) void bench_run_counted(void (*body)(void *), void *context) {
    body(context);
    __asm__ volatile("" ::: "memory");
}

__attribute__((noinline)) void bench_end_part(void) { __asm__ volatile("" ::: "memory"); }
