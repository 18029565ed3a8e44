internal import MdocModel
internal import NIOCore
internal import NIOHTTP1

/// The check of a request's target, which is its path and query, percent-encoded (RFC 3986, 2.1).
package enum TargetText {
    /// Whether the decoded target is UTF-8 without a NUL byte. Databases and file names accept no other
    /// texts.
    package static func isReadable(_ target: String) -> Bool {
        var bytes: [UInt8] = []
        var rest = target.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            // A `%` must have two hexadecimal digits behind it.
            guard let decoded = rest.prefix(2).bytesOfHexadecimal, decoded.count == 1 else { return false }
            bytes += decoded
            rest = rest.dropFirst(2)
        }
        return !bytes.contains(0) && String(validating: bytes, as: UTF8.self) != nil
    }
}

/// A handler that copies the host of an absolute request target to the Host header, as RFC 9112, 3.2.2
/// requires. Otherwise `HostRules` would check the Host header while a proxy uses the host of the target.
final class AbsoluteTarget: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .head(var head) = unwrapInboundIn(data), let authority = Self.authority(of: head.uri),
            // `HostRules` refuses a request with several Host headers.
            head.headers["host"].count < 2
        else { return context.fireChannelRead(data) }
        head.headers.replaceOrAdd(name: "Host", value: authority)
        context.fireChannelRead(wrapInboundOut(.head(head)))
    }

    /// The authority of a target in absolute form, or `nil` for another form.
    static func authority(of target: String) -> String? {
        guard !target.hasPrefix("/"), let start = target.firstRange(of: "://")?.upperBound else { return nil }
        return String(target[start...].prefix { !"/?#".contains($0) })
    }
}
