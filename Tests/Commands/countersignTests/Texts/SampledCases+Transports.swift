import Reports
import Transport

extension UserFacingTexts {
    static let transports: [TextGroup] = [
        TextGroup(ReaderFault.allCases, .transports, hasAdvice: true, id: { $0.rawValue }) { $0.advice },
        TextGroup(RadioFault.allCases, .transports, hasAdvice: true, id: { $0.rawValue }) { $0.advice },
        TextGroup(ConnectionFault.allCases, .transports, hasAdvice: true, id: { $0.rawValue }) {
            $0.advice
        },
    ]
}
