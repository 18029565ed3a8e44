#pragma once

#include <spawn.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

// Of glibc (2.34) and of the kernel (5.3), behind macros that the headers do not set for Swift.
extern int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *, int) __attribute__((nothrow));
extern long syscall(long, ...) __attribute__((nothrow));

/// Has the program that is started with these actions close every descriptor from `first` on. 0, or a code.
static inline int countersign_close_from(posix_spawn_file_actions_t *actions, int first) {
    return posix_spawn_file_actions_addclosefrom_np(actions, first);
}

/// A descriptor of a process (pidfd_open(2)), readable once that has ended; -1 with errno.
static inline int countersign_process_handle(int process) {
    return (int)syscall(SYS_pidfd_open, process, 0);
}

/// Has the kernel write no core dump of this process and let no other of the same user look into it. 0, or -1 with errno.
static inline int countersign_hide_memory(void) {
    return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}
