internal import NIOCore
internal import NIOHTTP1

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
