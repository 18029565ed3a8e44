#pragma once

#include <spawn.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

// Functions that Swift does not see in the headers, because the headers declare them only if certain macros are
// defined. The first needs glibc 2.34, and SYS_pidfd_open below needs Linux 5.3.
extern int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *, int) __attribute__((nothrow));
extern long syscall(long, ...) __attribute__((nothrow));

/// Makes the program that is started with `actions` close every descriptor from `first` on. Returns 0, or an error
/// code.
static inline int countersign_close_from(posix_spawn_file_actions_t *actions, int first) {
    return posix_spawn_file_actions_addclosefrom_np(actions, first);
}

/// Returns a descriptor of a process (pidfd_open(2)), which becomes readable when the process has ended. Returns -1 and
/// sets errno on failure.
static inline int countersign_process_handle(int process) {
    return (int)syscall(SYS_pidfd_open, process, 0);
}

/// Prevents core dumps of this process, and stops other processes of the same user from reading its memory. Returns 0,
/// or -1 and sets errno.
static inline int countersign_hide_memory(void) {
    return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}
