internal import ArgumentParser
internal import Doctor
internal import FleetHub
internal import Glibc
internal import JSON
internal import ReaderService
internal import ReaderStore

/// The command `countersign-hub doctor`. It checks that this computer can run a hub, and prints a remedy for
/// each fault.
struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Check what prevents this computer from being a hub, and show how to fix it.",
        discussion: """
            Checks the configuration and its files, certificates and fleet keys, the database, the broker and the clock, \
            and changes nothing. The result of a check is ok, note (you need to do nothing), warning (the hub works now, but \
            needs your attention), failed or skipped. A check without an answer within \
            \(Examination.limit.components.seconds) seconds fails as timedOut.

              runuser -u countersign-hub -- countersign-hub doctor

            EXIT CODES:
              0  nothing failed
              2  a check failed
             64  wrong usage
            """)

    @OptionGroup var file: ConfigurationArgument
    @Flag(help: "Print JSON, for programs.")
    var json = false

    func run() async throws {
        let checks = await Self.checks(of: file.config)
        print(
            json
                ? (["checks": .array(checks.map { $0.json(\.full) })] as JSONValue).text
                : DoctorScreen(checks, isColoured: Self.showsColours).text)
        // Exit code 2 means that a check failed, as in `countersign doctor`.
        throw ExitCode(checks.contains { $0.outcome == .failed } ? 2 : 0)
    }

    /// Whether standard output is a terminal with colours, and NO_COLOR is not set (no-color.org).
    private static var showsColours: Bool {
        func variable(_ name: String) -> String {
            unsafe getenv(name).map { unsafe String(cString: $0) } ?? ""
        }
        return isatty(STDOUT_FILENO) == 1 && variable("NO_COLOR").isEmpty
            && !["", "dumb"].contains(variable("TERM"))
    }

    /// Runs every check once, for a hub with the configuration at `path`.
    static func checks(of path: String) async -> [DoctorCheck] { await examinations(of: path).made() }

    /// Returns the examinations of a hub. If the configuration has a fault, every check that needs the
    /// configuration is skipped.
    private static func examinations(of path: String) -> [Examination] {
        let clock = Examination(
            ClockFacts.checks, of: "the kernel",
            blocking: { ClockFacts.current(in: SystemFolder(root: "")).checks })
        let ids = HubFileFacts.checks + HubDatabaseChecks.checks + HubBrokerChecks.checks
        do throws(HubFault) {
            let configuration = try HubConfiguration.read(path)
            return [
                Examination([.hubConfiguration], of: "the disk") { [configurationFile(at: path)] },
                files(configuration), database(configuration), broker(configuration), clock,
            ]
        } catch {
            return [
                Examination([.hubConfiguration] + ids, of: "the disk") {
                    // A check's text has a second form, `shared`, without names and paths of this
                    // installation.
                    [.failed(.hubConfiguration, "\(full: error, shared: "the file has a fault")")]
                        + ids.map { .skipped($0, "the configuration cannot be used") }
                }, clock,
            ]
        }
    }

    /// Checks that no other user may change the configuration. Such a user could replace the fleet keys by
    /// changing their paths.
    private static func configurationFile(at path: String) -> DoctorCheck {
        var status = stat()
        // 0o022: the permission of the group and of other users to write.
        guard unsafe stat(path, &status) == 0, status.st_mode & 0o022 != 0 else {
            return .ok(.hubConfiguration, "the file has no fault")
        }
        return .failed(
            .hubConfiguration,
            "other users may change the file, and so enter their own fleet keys in it",
            fix: .command("chmod go-w \(full: path, shared: "FILE")"))
    }

    /// Returns the examination of the files that the configuration names.
    private static func files(_ configuration: HubConfiguration) -> Examination {
        let now = WallClock.system.now
        return Examination(
            HubFileFacts.checks, of: "the disk",
            blocking: { HubFileFacts.current(of: configuration, at: now).checks })
    }

    /// Returns the examination of the database.
    private static func database(_ configuration: HubConfiguration) -> Examination {
        Examination(HubDatabaseChecks.checks, of: "the database") {
            // The check of the files already reports why the file with the connection string cannot be read.
            guard let settings = try? configuration.databaseSettings() else {
                return HubDatabaseChecks.checks.map {
                    .skipped($0, "the file that \"database\" names cannot be read: see the check hub.files")
                }
            }
            do throws(PostgreSQLError) {
                return HubDatabaseChecks.checks(
                    .success(try await .current(settings, at: WallClock.system.now)))
            } catch {
                return HubDatabaseChecks.checks(.failure(error))
            }
        }
    }

    /// Returns the examination of the broker.
    private static func broker(_ configuration: HubConfiguration) -> Examination {
        Examination(HubBrokerChecks.checks, of: "the broker") {
            // The check of the files already reports why the file with the broker's password cannot be read.
            guard let settings = try? configuration.brokerSettings() else {
                return HubBrokerChecks.checks.map {
                    .skipped($0, "the file of broker.passwordFile cannot be read: see the check hub.files")
                }
            }
            return HubBrokerChecks.checks(await .current(settings))
        }
    }
}
