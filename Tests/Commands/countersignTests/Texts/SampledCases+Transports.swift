import Reports
import Transport

extension UserFacingTexts {
    static let transports: [TextGroup] = [
        group(ReaderFaultID.allCases, named: "ReaderFault") { $0.advice },
        group(RadioFaultID.allCases, named: "RadioFault") { $0.advice },
        group(ConnectionFaultID.allCases, named: "ConnectionFault") { $0.advice },
    ]

    /// Each fault without and with a daemon's own error.
    private static func group<ID: RawRepresentable<String>>(
        _ ids: [ID], named name: String, text: (PeerFault<ID>) -> String
    ) -> TextGroup {
        let refusals = [
            nil,
            PeerRefusal(
                call: "RegisterAdvertisement", name: "org.bluez.Error.NotPermitted",
                message: "Maximum advertisements reached"),
            PeerRefusal(call: "RegisterApplication", name: "org.bluez.Error.Failed", message: Received.name),
        ]
        return TextGroup(
            ids.flatMap { id in refusals.map { PeerFault(id, $0) } }, .transports, named: name,
            hasAdvice: true,
            id: { $0.id.rawValue }, text: text)
    }
}
