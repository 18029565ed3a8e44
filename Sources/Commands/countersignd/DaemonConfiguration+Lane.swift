internal import JSON
internal import MdocTrust
internal import PCSCTransport
internal import PresentationService
internal import ReaderAPI
internal import ReaderService
internal import Transport

extension DaemonConfiguration.Lane {
    /// - Parameter known: the presets of the file; a lane has all of them unless it names some.
    init(_ text: JSONText, _ known: [Preset]) throws(JSONFault) {
        let members = try text.members()
        let name = try members.required("name")
        self.name = try name.string(upTo: 64)
        let format = ConfigurationFormat.laneName
        guard format.holds(self.name) else { throw name.wrong(format.requirement) }
        device = try Self.device(members, of: text)
        for wish in try members["readerCommands"]?.array(upTo: 8) ?? [] {
            readerCommands.insert(try wish.word())
        }
        if let seconds = try members["waitSeconds"]?.integer(in: 1...3600) {
            settings.deadlines.engagement = .seconds(seconds)
        }
        if let seconds = try members["consentSeconds"]?.integer(in: 10...3600) {
            settings.deadlines.consent = .seconds(seconds)
        }
        if let seconds = try members["armedSeconds"]?.integer(in: 10...3600) {
            settings.deadlines.armed = .seconds(seconds)
        }
        settings.retrieval = try Self.retrieval(members)
        settings.requestVersion = try members["requestVersion"]?.word() ?? .automatic
        settings.policy = try members["policy"].map(RevocationPolicy.init)
        if let page = members["page"] { self.page = try LanePage(page) }
        page.brand = try members["brand"].map(LaneBrand.init)
        presets = try members["presets"]?.presets(of: known) ?? known
        standing = try members["standing"].map { text throws(JSONFault) in
            try Preset(standing: text, known)
        }
        fieldTrace = try members["fieldTrace"].map(FieldTraceSettings.init)
        if fieldTrace != nil, case .benchLink = device {
            throw text.wrong("benchLink and fieldTrace cannot be given together")
        }
    }

    private static func device(_ members: JSONTextMembers, of text: JSONText) throws(JSONFault) -> Device {
        guard let link = members["benchLink"] else {
            let transport: RetrievalPlan.Transport = try members["transport"]?.word() ?? .automatic
            return .contactless(
                reader: try members["reader"]?.string(upTo: 128) ?? "",
                adapter: try members["adapter"]?.string(upTo: 16), usesBluetooth: transport != .nfc)
        }
        for other in ["reader", "adapter", "transport", "bleMode", "l2cap", "nfcV2", "readerCommands"]
        where members[other] != nil {
            throw text.wrong("benchLink and \(other) cannot be given together")
        }
        let address = try link.string(upTo: 64)
        guard address.hasPrefix("tcp://"), let colon = address.lastIndex(of: ":"),
            let port = UInt16(address[address.index(after: colon)...]), port > 0
        else { throw link.wrong("must be tcp://host:port") }
        let host = String(address.dropFirst("tcp://".count)[..<colon])
        guard (try? SocketAddress(host: host, port: port)) != nil else {
            throw link.wrong("must be a numeric address of this computer: the bench link is for tests")
        }
        return .benchLink(host: host, port: port)
    }

    private static func retrieval(_ members: JSONTextMembers) throws(JSONFault) -> RetrievalPlan {
        var plan = RetrievalPlan()
        plan.transport = try members["transport"]?.word() ?? .automatic
        plan.mode = try members["bleMode"]?.word() ?? .centralClient
        plan.l2cap = try members["l2cap"]?.word() ?? .engagement
        if let version2 = members["nfcV2"] {
            plan.nfcVersion2 = try version2.word()
            guard plan.nfcVersion2 != .only || plan.transport != .bluetoothLE else {
                throw version2.wrong("only cannot be given with transport ble")
            }
        }
        return plan
    }

    /// Why this lane conflicts with the others: their phones would come to both.
    func conflict(with others: [Self]) -> String? {
        for other in others {
            if other.name == name { return "another lane has this name" }
            if let fieldTrace, fieldTrace.file == other.fieldTrace?.file {
                return "lane \(other.name) has this fieldTrace"
            }
            switch (device, other.device) {
            case (.benchLink, .benchLink) where device == other.device:
                return "lane \(other.name) has this bench link"
            case (
                .contactless(let reader, let adapter, let bluetooth),
                .contactless(let its, let itsAdapter, let itsBluetooth)
            ):
                if reader == its || reader.isEmpty || its.isEmpty {
                    return "lane \(other.name) takes this reader"
                }
                let shares = adapter == itsAdapter || adapter == nil || itsAdapter == nil
                if bluetooth, itsBluetooth, shares {
                    return "lane \(other.name) takes this adapter: name one for each"
                }
            default: continue
            }
        }
        return nil
    }
}

extension DaemonConfiguration.Lane.FieldTraceSettings {
    fileprivate init(_ text: JSONText) throws(JSONFault) {
        let members = try text.members()
        file = try members.required("file").string(upTo: 4000)
        bytes = Int(try members["bytes"]?.integer(in: 1 << 16...1 << 28) ?? 1 << 22)
    }
}
