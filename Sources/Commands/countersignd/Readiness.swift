internal import Logging

/// Notifies systemd and the log once all listeners accept requests.
actor Readiness {
    private var waitingFor: Int
    private let systemd: SystemdNotice
    private let log: Logger

    init(listeners: Int, systemd: SystemdNotice, log: Logger) {
        waitingFor = listeners
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
