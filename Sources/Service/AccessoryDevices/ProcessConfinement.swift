internal import CAccessoryDevices

/// Settings of the process itself that a program with devices needs.
package enum ProcessConfinement {
    /// Prevents core dumps of this process, and stops other processes of the same user from reading its
    /// memory, which contains the codes that were scanned. Returns whether the kernel accepted the setting.
    package static func hideMemory() -> Bool { countersign_devices_hide_memory() == 0 }

    /// Makes the kernel send a signal to this process when the thread that started it has ended. Returns
    /// whether the kernel accepted the setting.
    ///
    /// No signal comes for a parent that ended before this call, so that the caller has to compare
    /// `getppid()` with the expected process id afterwards.
    package static func signalAtParentsEnd(_ signal: Int32) -> Bool {
        countersign_devices_parent_signal(signal) == 0
    }
}
