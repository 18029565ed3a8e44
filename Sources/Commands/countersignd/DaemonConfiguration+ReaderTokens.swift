internal import JSON
internal import PresentationService
internal import ReaderAPI
internal import ReaderTokens

extension DaemonConfiguration {
    /// Reads where tokens come from, keys and grants; `access` and `fleet` are known by then.
    mutating func takeReaderTokens(_ text: JSONText, _ list: inout FaultList) {
        do throws(JSONFault) {
            let members = try text.members()
            if let from = members["from"] {
                let _: TokenIssuing.SourceWord = try from.word()
                guard fleet != nil else {
                    throw from.wrong("is allowed only with fleet, which names the hub")
                }
                if let keys = members["keys"] {
                    throw keys.wrong("is allowed only without \"from\": the hub has the keys")
                }
                readerTokens.isFromHub = true
            } else {
                readerTokens.keys = try TokenKeyFile.list(members.required("keys"))
            }
            for entry in try members.required("grants").array() {
                readerTokens.grants.append(try grant(entry))
            }
        } catch {
            list.add(error)
        }
    }

    private func grant(_ text: JSONText) throws(JSONFault) -> TokenGrant {
        let members = try text.members()
        let caller = try members.required("caller")
        let name = try caller.string(upTo: 64)
        guard callers.contains(name) else {
            throw caller.wrong(
                "must be the name of a token with the scope readerTokens, or uid: and the number of such a user"
            )
        }
        var instances: Set<ReaderInstance> = []
        for instance in try members.required("instances").array(upTo: 4096) {
            instances.insert(try instance.readerInstance())
        }
        return TokenGrant(
            caller: name, brand: try members.required("brand").tokenText(), instances: instances)
    }

    /// Who may ask for reader tokens, if there is a grant.
    private var callers: Set<String> {
        Set(access.tokens.filter { $0.scopes.contains(.readerTokens) }.map(\.name))
            .union(
                access.users.filter { $0.value.scopes.contains(.readerTokens) }.keys.map(
                    AccessRules.name(ofUser:)))
    }
}

extension DaemonConfiguration.TokenIssuing {
    enum SourceWord: String, CaseIterable { case hub }
}
