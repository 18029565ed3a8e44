internal import CSeccomp

/// The restrictions of a process that decodes bytes of strangers with a library in C or C++. After
/// `enter(memory:seconds:)` the process can only read, write and use memory.
///
/// `countersign-portrait` and `countersign-qrcode` call it before they read a byte.
package enum Confinement {
    /// Applies all restrictions.
    ///
    /// - Parameters:
    ///   - memory: the limit of the address space, in bytes.
    ///   - seconds: the limit of processor time.
    /// - Returns: whether all restrictions are active. If not, no input may be read.
    package static func enter(memory: UInt, seconds: UInt) -> Bool {
        // A limit of 0 files forbids opening further files. Standard input and output are open already.
        let limits: [(Int32, UInt)] = [
            (Int32(confinement_limit_memory), memory),
            (Int32(confinement_limit_cpu), seconds),
            (Int32(confinement_limit_core), 0), (Int32(confinement_limit_file_size), 0),
            (Int32(confinement_limit_files), 0), (Int32(confinement_limit_processes), 0),
        ]
        // The filter comes last, since it forbids the system calls that set the other restrictions.
        guard confinement_arch_known == 1,
            limits.allSatisfy({ confinement_set_limit($0.0, $0.1) == 0 }),
            confinement_close_others() == 0, confinement_renounce_privileges() == 0
        else { return false }
        var filter = program
        return unsafe filter.withUnsafeMutableBufferPointer {
            unsafe confinement_install($0.baseAddress, UInt16($0.count)) == 0
        }
    }

    /// The offset of the number of the system call in `struct seccomp_data`.
    private static let numberOffset: UInt32 = 0
    /// The offset of the architecture in `struct seccomp_data`.
    private static let architectureOffset: UInt32 = 4
    /// The offset of the low half of the third argument in `struct seccomp_data`. The third argument of mmap
    /// and mprotect is the memory protection.
    private static let thirdArgumentOffset: UInt32 = 32

    /// The seccomp filter. It ends the process at a system call that is not allowed, and at a request for
    /// executable memory.
    private static var program: [sock_filter] {
        let kill = step(confinement_return, confinement_kill)
        let allow = step(confinement_return, confinement_allow)
        // The numbers of system calls depend on the architecture, so another architecture ends the process.
        // `then` and `else` are the numbers of steps that a jump skips.
        var steps = [
            step(confinement_load, architectureOffset),
            step(confinement_jump_equal, confinement_arch, then: 1, else: 0), kill,
            step(confinement_load, numberOffset),
        ]
        for call in allowedCalls {
            steps += [step(confinement_jump_equal, call, then: 0, else: 1), allow]
        }
        // mmap and mprotect are allowed without executable protection. Every system call that is neither one
        // of these two nor in `allowedCalls` ends the process.
        steps += [
            step(confinement_jump_equal, confinement_mmap, then: 2, else: 0),
            step(confinement_jump_equal, confinement_mprotect, then: 1, else: 0), kill,
            step(confinement_load, thirdArgumentOffset),
            step(confinement_jump_set, confinement_executable, then: 0, else: 1), kill, allow,
        ]
        return steps
    }

    private static var allowedCalls: [UInt32] {
        unsafe withUnsafeBytes(of: confinement_calls) { unsafe Array($0.bindMemory(to: UInt32.self)) }
    }

    private static func step(
        _ code: UInt16, _ value: UInt32, then: UInt8 = 0, else: UInt8 = 0
    ) -> sock_filter {
        sock_filter(code: code, jt: then, jf: `else`, k: value)
    }
}
