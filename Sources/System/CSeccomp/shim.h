// Wrappers of the variadic functions and macros with which a process confines itself. Swift cannot import them.
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
enum { confinement_arch_known = 1 };
static const unsigned int confinement_arch = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
enum { confinement_arch_known = 1 };
static const unsigned int confinement_arch = AUDIT_ARCH_AARCH64;
#else
enum { confinement_arch_known = 0 };
static const unsigned int confinement_arch = 0;
#endif

enum {
    confinement_limit_memory = RLIMIT_AS,
    confinement_limit_core = RLIMIT_CORE,
    confinement_limit_cpu = RLIMIT_CPU,
    confinement_limit_file_size = RLIMIT_FSIZE,
    confinement_limit_files = RLIMIT_NOFILE,
    confinement_limit_processes = RLIMIT_NPROC,
};

static const unsigned int confinement_calls[] = {
    SYS_read, SYS_write, SYS_brk, SYS_munmap, SYS_mremap, SYS_madvise, SYS_futex, SYS_getrandom,
    SYS_clock_gettime, SYS_sched_yield, SYS_rt_sigreturn, SYS_exit, SYS_exit_group,
};
enum { confinement_call_count = sizeof confinement_calls / sizeof confinement_calls[0] };

static const unsigned int confinement_mmap = SYS_mmap;
static const unsigned int confinement_mprotect = SYS_mprotect;
static const unsigned int confinement_executable = PROT_EXEC;
static const unsigned int confinement_allow = SECCOMP_RET_ALLOW;
static const unsigned int confinement_kill = SECCOMP_RET_KILL_PROCESS;

static const unsigned short confinement_load = BPF_LD | BPF_W | BPF_ABS;
static const unsigned short confinement_jump_equal = BPF_JMP | BPF_JEQ | BPF_K;
static const unsigned short confinement_jump_set = BPF_JMP | BPF_JSET | BPF_K;
static const unsigned short confinement_return = BPF_RET | BPF_K;

static inline int confinement_set_limit(int resource, unsigned long value) {
    struct rlimit limit = {value, value};
    return setrlimit(resource, &limit);
}

// Closes every descriptor above standard error, in case the parent process left one open by mistake.
static inline int confinement_close_others(void) {
    return syscall(SYS_close_range, 3U, ~0U, 0U);
}

static inline int confinement_renounce_privileges(void) {
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) | prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

static inline int confinement_install(struct sock_filter *filter, unsigned short count) {
    struct sock_fprog program = {count, filter};
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0);
}
