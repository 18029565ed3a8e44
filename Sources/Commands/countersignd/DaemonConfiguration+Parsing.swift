internal import MdocVerification
internal import JSON
internal import MdocModel
internal import MdocTrust
internal import HTTPServing
internal import PresentationService
internal import ReaderAPI
internal import ReaderService
internal import RequestPlanner

extension DaemonConfiguration {
    private static let largestFile = 1 << 18
    static let logLevels = ["debug", "info", "notice", "warning", "error"]

    /// Reads the file's bytes, with what the environment says instead.
    package init(_ bytes: [UInt8], environment: [String: String]) throws(ConfigurationFaults) {
        try self.init(environment) { () throws(JSONFault) in
            try JSONText(bytes[...], limit: Self.largestFile)
        }
    }

    /// The same of what documents of the fleet made of the file.
    init(_ item: JSONItem, environment: [String: String]) throws(ConfigurationFaults) {
        try self.init(environment) { JSONText(item) }
    }

    private init(
        _ environment: [String: String], _ text: () throws(JSONFault) -> JSONText
    ) throws(ConfigurationFaults) {
        self.init()
        var list = FaultList()
        var namedKeys: JSONText?
        do throws(JSONFault) {
            let text = try text()
            list.add(ConfigurationValue.object(ConfigurationMember.file).faults(in: text))
            let members = try text.members()
            namedKeys = members["keys"]
            take(from: text, members, &list)
        } catch {
            list.add(error)
        }
        take(from: environment, &list)
        if socket == nil, http == nil, !list.hasFault(in: "/socket"), !list.hasFault(in: "/http") {
            list.add(
                JSONFault(
                    .wrongValue("must have socket or http, or no program can connect"), line: 1, column: 1))
        }
        if let keys, keys == store || keys.hasPrefix("\(store)/") {
            let requirement = "must be a folder outside of store"
            list.add(
                namedKeys?.wrong(requirement) ?? JSONFault(.wrongValue("keys \(requirement)"), line: 0))
        }
        guard list.faults.isEmpty else { throw ConfigurationFaults(faults: list.faults) }
    }

    /// `list` has the faults of single values already, by which the file is refused: what `ConfigurationMember` says of a value
    /// is not checked here again.
    private mutating func take(from text: JSONText, _ members: JSONTextMembers, _ list: inout FaultList) {
        store = list.read(store) { () throws(JSONFault) in try members["store"]?.absolutePath() }
        keys = list.read(keys) { () throws(JSONFault) in try members["keys"]?.absolutePath() }
        page = list.read(page) { () throws(JSONFault) in try members["page"]?.absolutePath() }
        logLevel = list.read(logLevel) { () throws(JSONFault) in
            try members["log"]?.string()
        }
        policy.clockSkew = list.read(policy.clockSkew) { () throws(JSONFault) in
            try members["clockSkewSeconds"]?.integer(in: 0...3600)
        }
        end = list.read(end) { () throws(JSONFault) in
            try members["endSeconds"].map { value throws(JSONFault) in
                .seconds(try value.integer(in: 1...300))
            }
        }
        policies = list.read(policies) { () throws(JSONFault) in
            try members["policies"].map(PurposePolicies.init)
        }
        policy.signers = list.read(policy.signers) { () throws(JSONFault) in
            try members["documentSigners"].map(DocumentSignerProfiles.init)
        }
        policy.testRoots = list.read(policy.testRoots) { () throws(JSONFault) in
            try members["testRoots"].map(TestRoots.init)
        }
        policy.acceptsTestDocuments = list.read(policy.acceptsTestDocuments) { () throws(JSONFault) in
            try members["acceptTestDocuments"]?.boolean()
        }
        takeChannels(members, &list)
        if let tokens = members["tokens"] { takeTokens(tokens, &list) }
        if let limits = members["limits"] { takeLimits(limits, &list) }
        if let webhooks = members["webhooks"] {
            self.webhooks = list.read(nil) { () throws(JSONFault) in try Webhooks(webhooks) }
        }
        if let online = members["online"] {
            self.online = list.read(nil) { () throws(JSONFault) in try Online(online) }
        }
        if let fleet = members["fleet"] {
            self.fleet = list.read(nil) { () throws(JSONFault) in try Fleet(fleet) }
        }
        // Grants name tokens and users, and a kiosk's tokens can come from the hub of its fleet.
        if let issuing = members["readerTokens"],
            !["/tokens", "/socket", "/fleet"].contains(where: { list.hasFault(in: $0) })
        {
            takeReaderTokens(issuing, &list)
        }
        presets = list.read([]) { () throws(JSONFault) in try members["presets"]?.presets() }
        takeLanes(members["lanes"], of: text, &list)
    }

    private mutating func takeChannels(_ members: JSONTextMembers, _ list: inout FaultList) {
        if let socket = members["socket"] {
            self.socket = list.read(nil) { () throws(JSONFault) in
                socket.isNull ? nil : try Socket(socket, users: &access.users)
            }
        }
        if let http = members["http"] {
            self.http = list.read(nil) { () throws(JSONFault) in http.isNull ? nil : try HTTP(http) }
        }
    }

    private mutating func takeTokens(_ text: JSONText, _ list: inout FaultList) {
        for token in list.read([], { () throws(JSONFault) in try text.array() }) {
            guard let known = list.read(nil, { () throws(JSONFault) in try AccessRules.Token(token) })
            else { continue }
            if access.tokens.contains(where: { $0.sha256 == known.sha256 }) {
                list.add(
                    token.wrong("another token has this SHA-256: give each caller another token"))
            } else {
                access.tokens.append(known)
            }
        }
    }

    private mutating func takeLimits(_ text: JSONText, _ list: inout FaultList) {
        do throws(JSONFault) {
            let members = try text.members()
            limits.presentations = Int(
                try members["presentations"]?.integer(in: 10...100_000) ?? Int64(limits.presentations))
            limits.listeners = Int(try members["listeners"]?.integer(in: 1...4096) ?? Int64(limits.listeners))
            limits.ordersPerHour = Int(
                try members["ordersPerHour"]?.integer(in: 1...100_000) ?? Int64(limits.ordersPerHour))
            connections = Int(try members["connections"]?.integer(in: 4...8192) ?? Int64(connections))
            if let seconds = try members["shownSeconds"]?.integer(in: 5...3600) {
                limits.shown = .seconds(seconds)
            }
            if let seconds = try members["decisionSeconds"]?.integer(in: 5...3600) {
                limits.decision = .seconds(seconds)
            }
            if let seconds = try members["documentsSeconds"]?.integer(in: 5...86_400) {
                limits.documents = .seconds(seconds)
            }
        } catch {
            list.add(error)
        }
    }

    private mutating func takeLanes(_ value: JSONText?, of text: JSONText, _ list: inout FaultList) {
        guard let value else {
            // A server for apps and pages alone has none.
            if online != nil { return }
            return list.add(text.missing("lanes"))
        }
        for entry in list.read([], { () throws(JSONFault) in try value.array(upTo: 32) }) {
            guard let lane = list.read(nil, { () throws(JSONFault) in try Lane(entry, presets) }) else {
                continue
            }
            if let fault = lane.conflict(with: lanes) {
                list.add(entry.wrong(fault))
            } else {
                lanes.append(lane)
            }
        }
        if lanes.isEmpty, online == nil, list.faults.isEmpty {
            list.add(value.wrong("must contain at least one lane"))
        }
    }

    /// What the environment says goes before the file, and is checked like it.
    private mutating func take(from environment: [String: String], _ list: inout FaultList) {
        func variable<Value>(_ name: String, _ read: (String) -> Value?) -> Value? {
            guard let text = environment["COUNTERSIGND_\(name)"], !text.isEmpty else { return nil }
            let value = read(text)
            if value == nil { list.add(Self.wrong(name)) }
            return value
        }
        store = variable("STORE", JSONText.absolutePath) ?? store
        keys = variable("KEYS", JSONText.absolutePath) ?? keys
        page = variable("PAGE", JSONText.absolutePath) ?? page
        if let path = variable("SOCKET", Socket.path) {
            socket = Socket(path: path, mode: socket?.mode ?? 0o660)
        }
        logLevel = variable("LOG", { Self.logLevels.contains($0) ? $0 : nil }) ?? logLevel
        if let port = variable("HTTP_PORT", { Int($0).flatMap { (1...65535).contains($0) ? $0 : nil } }) {
            http = http ?? HTTP()
            http?.port = port
        }
    }

    private static func wrong(_ variable: String) -> JSONFault {
        JSONFault(
            .wrongValue("COUNTERSIGND_\(variable) in the environment does not have a valid value"), line: 0)
    }
}

extension JSONText {
    /// The path, if it is one from the root.
    fileprivate static func absolutePath(_ text: String) -> String? {
        text.hasPrefix("/") && text.utf8.count <= longestPath ? text : nil
    }

    /// The SHA-256 of a token. That of a variable without a value, or of a newline, is no secret.
    fileprivate func tokenDigest() throws(JSONFault) -> [UInt8] {
        let digest = try sha256(of: "the token")
        guard !TokenDigest.isOfNoText(digest) else {
            throw wrong(
                "is the SHA-256 of no text: anybody could use it. Make a token with countersignd token new")
        }
        return digest
    }

    fileprivate func sha256(of what: String) throws(JSONFault) -> [UInt8] {
        guard let bytes = try string(upTo: 64).utf8.bytesOfHexadecimal, bytes.count == 32
        else {
            throw wrong("must be the SHA-256 of \(what) in 64 hexadecimal digits")
        }
        return bytes
    }

    fileprivate func scopes() throws(JSONFault) -> Set<Scope> {
        var scopes: Set<Scope> = []
        for entry in try array(upTo: 8) { scopes.insert(try entry.word()) }
        return scopes
    }

    /// The lanes of a page.
    fileprivate func laneNames() throws(JSONFault) -> Set<String> {
        var names: Set<String> = []
        for entry in try array(upTo: 32) { names.insert(try entry.string(upTo: 64)) }
        return names
    }
}

extension DaemonConfiguration.Socket {
    fileprivate static func path(_ text: String) -> String? {
        text.utf8.count < 108 ? JSONText.absolutePath(text) : nil
    }

    fileprivate init(_ text: JSONText, users: inout [UInt32: AccessRules.User]) throws(JSONFault) {
        let members = try text.members()
        path = try members["path"]?.absolutePath() ?? path
        mode = UInt32(try members["mode"]?.string(upTo: 8) ?? "", radix: 8) ?? mode
        for entry in try members["users"]?.array() ?? [] {
            let user = try entry.members()
            let number = UInt32(try user.required("uid").integer(in: 0...Int64(UInt32.max) - 1))
            guard users[number] == nil else { throw entry.wrong("this user is listed twice") }
            users[number] = AccessRules.User(
                scopes: try user.required("scopes").scopes(), lanes: try user["lanes"]?.laneNames())
        }
    }
}

extension DaemonConfiguration.HTTP {
    fileprivate init(_ text: JSONText) throws(JSONFault) {
        let members = try text.members()
        tls = try members["tls"].map { text throws(JSONFault) in
            let members = try text.members()
            return DaemonConfiguration.TLS(
                certificate: try members.required("certificate").absolutePath(),
                key: try members.required("key").absolutePath(),
                clientAuthority: try members["clientAuthority"]?.absolutePath())
        }
        if let host = members["host"] {
            let address = try host.string(upTo: 64)
            guard tls != nil || ["127.0.0.1", "::1"].contains(address) else {
                throw host.wrong(
                    "must be \"127.0.0.1\" or \"::1\" unless tls is set: tokens must not cross a network unencrypted"
                )
            }
            self.host = address
        }
        port = Int(try members["port"]?.integer(in: 1...65535) ?? Int64(port))
        for name in try members["names"]?.array(upTo: 16) ?? [] { names.append(try name.string(upTo: 253)) }
    }
}

extension AccessRules.Token {
    fileprivate init(_ text: JSONText) throws(JSONFault) {
        let members = try text.members()
        self.init(
            name: try members.required("name").string(upTo: 64),
            sha256: try members.required("sha256").tokenDigest(),
            scopes: try members.required("scopes").scopes(), lanes: try members["lanes"]?.laneNames())
    }
}

extension TestRoots {
    /// Roots beside those of `UT`. None is no list: it would look like a way to have no test documents.
    fileprivate init(_ text: JSONText) throws(JSONFault) {
        self.init()
        for entry in try text.array(upTo: 4096) { named.insert(try entry.sha256(of: "the root")) }
    }
}

extension PurposePolicies {
    /// `{"rental": {"rental": 3}, "identity": "age"}`; a purpose that is not named keeps its own.
    fileprivate init(_ text: JSONText) throws(JSONFault) {
        self.init()
        let members = try text.members()
        for purpose in RequestPurpose.allCases {
            if let policy = members[purpose.rawValue] { self[purpose] = try RevocationPolicy(policy) }
        }
    }
}

extension DaemonConfiguration.Webhooks {
    fileprivate init(_ text: JSONText) throws(JSONFault) {
        let members = try text.members()
        secretFile = try members.required("secretFile").absolutePath()
        for entry in try members.required("origins").array(upTo: 32) {
            origins.append(try entry.string(upTo: 300))
        }
    }
}
