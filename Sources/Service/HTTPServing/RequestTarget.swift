internal import MdocModel
internal import NIOCore
internal import NIOHTTP1

/// The target of a request: its path and its query, percent-encoded (RFC 3986 2.1).
package enum TargetText {
    /// Whether its bytes, once decoded, are UTF-8 without a NUL. Neither a database nor the name of a file takes other texts.
    package static func isReadable(_ target: String) -> Bool {
        var bytes: [UInt8] = []
        var rest = target.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let decoded = rest.prefix(2).bytesOfHexadecimal, decoded.count == 1 else { return false }
            bytes += decoded
            rest = rest.dropFirst(2)
        }
        return !bytes.contains(0) && String(validating: bytes, as: UTF8.self) != nil
    }
}

/// Puts the host of a request target in absolute form in the place of the Host header, as RFC 9112, 3.2.2 wants it: otherwise
/// the checks would look at one and a proxy at the other.
final class AbsoluteTarget: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .head(var head) = unwrapInboundIn(data), let authority = Self.authority(of: head.uri),
            // Several are refused later.
            head.headers["host"].count < 2
        else { return context.fireChannelRead(data) }
        head.headers.replaceOrAdd(name: "Host", value: authority)
        context.fireChannelRead(wrapInboundOut(.head(head)))
    }

    /// What stands between `://` and the path; nil for another form.
    static func authority(of target: String) -> String? {
        guard !target.hasPrefix("/"), let start = target.firstRange(of: "://")?.upperBound else { return nil }
        return String(target[start...].prefix { !"/?#".contains($0) })
    }
}
