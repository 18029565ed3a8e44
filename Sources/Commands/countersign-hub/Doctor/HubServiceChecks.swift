internal import Doctor
internal import FleetHub
internal import ReaderStore

/// The checks of the database.
enum HubDatabaseChecks {
    static let checks: [DoctorCheck.ID] = [.hubDatabase, .hubTables]

    /// The major version of PostgreSQL with which the hub is tested.
    private static let triedVersion: Int64 = 15

    static func checks(_ facts: Result<DatabaseFacts, PostgreSQLError>) -> [DoctorCheck] {
        switch facts {
        case .success(let facts): [database(facts), tables(facts)]
        case .failure(let error):
            [
                .failed(.hubDatabase, "\(error.explanation)", fix: .command("systemctl status postgresql")),
                .skipped(.hubTables, "the database does not answer"),
            ]
        }
    }

    /// Checks the server: its version, whether it accepts changes, and its clock.
    private static func database(_ facts: DatabaseFacts) -> DoctorCheck {
        // PostgreSQL reports its version as one number: 150004 is 15.4.
        let version = "\(facts.version / 10_000).\(facts.version % 10_000)"
        if facts.isStandby {
            return .failed(
                .hubDatabase,
                "PostgreSQL \(version) answers, but is a standby, which accepts no changes: name the primary server in the file that the setting \"database\" names"
            )
        }
        guard abs(facts.secondsAhead) <= ReceiptMonths.mostClockDifference else {
            return .failed(
                .hubDatabase,
                "PostgreSQL \(version) answers, but its clock and this computer's are \(abs(facts.secondsAhead) / 3600) hours apart: no old receipts are dropped until you correct the clock that is wrong",
                fix: .command("timedatectl"))
        }
        return facts.version / 10_000 < triedVersion
            ? .warning(
                .hubDatabase,
                "PostgreSQL \(version) is older than \(triedVersion), the oldest version that was tested")
            : .ok(.hubDatabase, "PostgreSQL \(version) answers")
    }

    /// Checks that the tables exist, or that the hub may make them.
    private static func tables(_ facts: DatabaseFacts) -> DoctorCheck {
        switch (facts.hasTables, facts.mayMakeTables, facts.ownsTables) {
        case (true, _, false):
            .failed(
                .hubTables,
                "the tables belong to another user of the database: the hub cannot add the tables for further months of receipts. Make the hub's user their owner (ALTER TABLE … OWNER TO)"
            )
        case (_, false, _):
            .failed(
                .hubTables, "the hub's user may not make tables",
                fix: .command("psql --dbname NAME --command 'GRANT CREATE ON SCHEMA public TO USER'"))
        case (true, true, true): version(facts) ?? audit(facts)
        case (false, true, _): .note(.hubTables, "no hub has started yet: the first hub makes the tables")
        }
    }

    /// Compares the version of the tables with the version that this program needs. Returns nil if both are
    /// equal.
    private static func version(_ facts: DatabaseFacts) -> DoctorCheck? {
        guard let newest = DatabaseFacts.newestTablesVersion, facts.tablesVersion != newest else {
            return nil
        }
        switch facts.tablesVersion {
        case 0?: return .failed(.hubTables, "\(PostgreSQLError.versionMissing.explanation)")
        case let version? where version > newest:
            return .failed(.hubTables, "\(PostgreSQLError.tablesNewer.explanation)")
        default:
            let audit = audit(facts)
            // Only one result is returned. A fault of the audit log comes first, because the user must repair
            // it. Old tables are updated without the user at the next start.
            guard audit.outcome == .ok else { return audit }
            return .note(
                .hubTables,
                "an earlier version of this program made the tables: the next start brings them up to date")
        }
    }

    /// Checks the rights on the audit log. The log and the other tables may belong to different users of the
    /// database.
    private static func audit(_ facts: DatabaseFacts) -> DoctorCheck {
        guard facts.mayAppendActs else {
            return .failed(
                .hubTables,
                "the hub's user may not append to the audit log countersign_fleet_act: each command that changes something is refused",
                fix: .command(
                    "psql --dbname NAME --command 'GRANT SELECT, INSERT ON countersign_fleet_act TO USER'"))
        }
        return facts.mayChangeActs
            ? .warning(
                .hubTables,
                "the audit log countersign_fleet_act belongs to another user, and the hub's user may change or delete it, or owns its schema",
                fix: .command(
                    "psql --dbname NAME --command 'REVOKE UPDATE, DELETE, TRUNCATE ON countersign_fleet_act FROM USER'"
                ))
            : .ok(.hubTables, "the tables exist and belong to the hub")
    }
}

/// The checks of the broker.
enum HubBrokerChecks {
    static let checks: [DoctorCheck.ID] = [.hubBroker, .hubAccounts]

    static func checks(_ facts: BrokerFacts) -> [DoctorCheck] {
        switch facts {
        case .filesRefused:
            [
                .failed(
                    .hubBroker,
                    "libmosquitto cannot use the files of authority.certificate, broker.certificate and broker.key: correct the file that the check hub.files or hub.certificates reports"
                ), unknown,
            ]
        case .unreachable:
            [
                .failed(
                    .hubBroker,
                    "no connection: check that mosquitto runs at broker.host and broker.port. Its certificate must be issued by authority.certificate, for the name broker.host",
                    fix: .command("systemctl status mosquitto")), unknown,
            ]
        case .refused(let code):
            [
                .failed(
                    .hubBroker,
                    "the broker refuses the hub with the code \(code): compare broker.user and broker.passwordFile with the hub's account at the broker"
                ), unknown,
            ]
        case .connected(let defaults):
            [.ok(.hubBroker, "the broker accepts the hub's certificate and password"), accounts(defaults)]
        }
    }

    /// The result of the accounts check if the hub has no connection to the broker.
    private static let unknown = DoctorCheck.skipped(.hubAccounts, "the hub has no connection to the broker")

    /// Checks that the accounts of kiosks can be managed, and that a kiosk has no access by default.
    private static func accounts(_ defaults: BrokerFacts.Defaults?) -> DoctorCheck {
        guard let defaults else {
            return .failed(
                .hubAccounts,
                "mosquitto's dynamic security does not answer: the broker lacks the plugin, or the hub's account may not manage accounts",
                fix: .command("mosquitto_ctrl dynsec getClient USER"))
        }
        if defaults.mayPublish {
            return .failed(
                .hubAccounts, "every kiosk may publish to every topic", fix: closed("publishClientSend"))
        }
        return defaults.maySubscribe
            ? .failed(.hubAccounts, "every kiosk may subscribe to every topic", fix: closed("subscribe"))
            : .ok(.hubAccounts, "dynamic security answers, and each kiosk has only its own topics")
    }

    /// Returns a command that withdraws a permission which the broker grants to every account by default. The
    /// command uses mosquitto_pub, because mosquitto_ctrl 2.0.11 (Debian 12) reports success for this change
    /// without making it.
    private static func closed(_ kind: String) -> DoctorCheck.Remedy {
        .command(
            #"mosquitto_pub OPTIONS -t '$CONTROL/dynamic-security/v1' -m '{"commands":[{"command":"setDefaultACLAccess","acls":[{"acltype":"\#(kind)","allow":false}]}]}'"#
        )
    }
}
