#pragma once

#include <sys/prctl.h>

/// Has the kernel write no core dump of this process and let no other of the same user look into it. 0, or -1 with errno.
static inline int countersign_hide_memory(void) {
    return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}
