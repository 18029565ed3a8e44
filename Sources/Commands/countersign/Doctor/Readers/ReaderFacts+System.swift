internal import Doctor
internal import PCSCTransport
internal import Transport

extension ReaderFacts {
    /// For pcscd to list its readers and to describe them.
    private static let limit = Duration.seconds(5)

    /// Asks pcscd and looks at the system's files. Connects to readers, never to cards.
    static func current(_ selector: ReaderSelector, in system: SystemFolder) async -> ReaderFacts {
        let answer = await finished(within: limit) { await asked(selector) }
        let service = answer ?? .hangs
        return await blocking {
            ReaderFacts(
                service: service, isInstalled: system.has("/usr/sbin/pcscd"), isSelected: selector != .any,
                hindrances: ReaderHindrance.onThisComputer(
                    listed: service.usb, usbDevices: system.path("/sys/bus/usb/devices"),
                    modules: system.path("/proc/modules"), drivers: system.path(DriverList.folder)),
                kernelModules: loadedModules(system).filter(ReaderHindrance.kernelModules.contains),
                polkit: polkitRule(system), hasServiceUser: hasServiceUser(system),
                lanes: Lanes(in: system))
        }
    }

    private static func asked(_ selector: ReaderSelector) async -> Service {
        do throws(PCSCTransportError) {
            let readers = try await PCSCService().readers()
            let chosen = selector.candidates(among: readers).first
            return .answers(readers.map(Reader.init), chosen: readers.firstIndex { $0 == chosen })
        } catch {
            return .fails(error)
        }
    }

    private static func loadedModules(_ system: SystemFolder) -> [String] {
        (system.text(of: "/proc/modules") ?? "").split(separator: "\n")
            .compactMap { $0.split(separator: " ").first.map(String.init) }
    }

    private static func polkitRule(_ system: SystemFolder) -> PolkitRule {
        guard system.has("/usr/share/polkit-1/actions/org.debian.pcsc-lite.policy") else { return .notAsked }
        var isHidden = false
        for top in ["/etc", "/run", "/usr/local/share", "/usr/share"] {
            let folder = "\(top)/polkit-1/rules.d"
            guard let names = system.names(in: folder) else {
                isHidden = isHidden || system.has(folder)
                continue
            }
            for name in names where name.hasSuffix(".rules") {
                guard let text = system.text(of: "\(folder)/\(name)") else {
                    isHidden = true
                    continue
                }
                if text.contains(PolkitAction.service.rawValue) { return .there }
            }
        }
        return isHidden ? .hidden : .absent
    }

    private static func hasServiceUser(_ system: SystemFolder) -> Bool {
        (system.text(of: "/etc/passwd") ?? "").split(separator: "\n").contains {
            $0.hasPrefix("countersign:")
        }
    }
}

extension ReaderFacts.Service {
    fileprivate var usb: Set<USBIdentity> {
        guard case .answers(let readers, _) = self else { return [] }
        return Set(readers.compactMap(\.usb))
    }
}

extension ReaderFacts.Reader {
    fileprivate init(_ reader: ReaderDescription) {
        self.init(
            name: reader.name, slot: reader.slot, usb: reader.usb, quirks: reader.quirks,
            allowsExtended: reader.limits.allowsExtended, allowsEscape: reader.allowsEscape)
    }
}
