internal import Logging

/// Tells systemd and the log once all doors take requests.
actor Readiness {
    private var waitingFor: Int
    private let systemd: SystemdNotice
    private let log: Logger

    init(doors: Int, systemd: SystemdNotice, log: Logger) {
        waitingFor = doors
        self.systemd = systemd
        self.log = log
    }

    func opened() {
        waitingFor -= 1
        guard waitingFor == 0 else { return }
        systemd.ready()
        log.notice("ready")
        ProcessMemory.releaseText()
    }
}
