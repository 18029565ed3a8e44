/* Preloaded by Hardware/check-ratios. libdispatch's main thread calls sigsuspend with a mask in read-only memory, and valgrind
 * 3.19 of Debian 12 writes to the mask and crashes: this one hands it a copy. */
#define _GNU_SOURCE
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

int sigsuspend(const sigset_t *mask) {
    sigset_t copy = *mask;
    return (int)syscall(SYS_rt_sigsuspend, &copy, _NSIG / 8);
}
