internal import MdocVerification
internal import ArgumentParser
internal import CommandLineInterface
internal import JSON
internal import MdocModel
internal import MdocTrust
internal import PKIX

/// How sources are let in.
struct StagingArguments: ParsableArguments {
    @Flag(
        name: .long,
        help:
            "Accept a list that lost more than a fifth of the entries of the one before. Without this it is refused."
    )
    var acceptShrunken = false

    @Option(
        name: .long, parsing: .upToNextOption,
        help: ArgumentHelp(
            "Certificates that documents name for the signers of their status lists, PEM or DER.",
            valueName: "file"))
    var signer: [String] = []

    func rules(at now: Timestamp, _ policy: VerificationPolicy) throws(CommandFailure) -> TrustRules {
        var signers: [ArraySlice<UInt8>] = []
        for path in signer {
            let contents = try InputFile.read(path, limit: TrustFiles.largestFile)
            do throws(PKIXError) {
                signers += try certificates(fromPEMOrDER: contents[...]).map(\.der)
            } catch {
                throw .malformed(
                    "\(Terminal.safe(path)): not a certificate, neither in PEM nor in DER: \(error.explanation)"
                )
            }
        }
        return TrustRules(
            now: now, clockSkew: policy.clockSkew, acceptsShrunken: acceptShrunken, signers: signers)
    }
}
