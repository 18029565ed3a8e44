internal import CBOR
internal import COSE
internal import MdocModel
internal import MdocSession
internal import OpenSSLCrypto
internal import TestCredentials

/// DeviceEngagement, its text in a QR code, and the session that it starts.
func fuzzDeviceEngagement(_ input: ArraySlice<UInt8>) {
    guard let engagement = try? DeviceEngagement(input) else { return }
    demand(engagement.bytes == input, "the engagement's bytes do not survive")
    demand(engagement.version.hasPrefix("1."), "an engagement of another version")
    let text = EngagementURI.text(for: input)
    if text.utf8.count <= EngagementURI.maximumLength {
        let scanned = try? EngagementURI.deviceEngagement(in: text)
        demand(scanned?.elementsEqual(input) == true, "a text written is not read")
    }
    checkSession(with: engagement, .qr)
}

/// The bench link's first frame and the engagement in it.
func fuzzBenchLinkGreeting(_ input: ArraySlice<UInt8>) {
    guard let greeting = try? BenchLinkGreeting(input) else { return }
    demand(
        (try? BenchLinkGreeting(greeting.encoded()[...])) == greeting, "a greeting written anew is another")
    guard let (engagement, handover) = try? greeting.engagement() else { return }
    checkSession(with: engagement, handover)
}

/// Whoever engages with a key on our curve gets a session, and the transcript it would get from its bytes.
private func checkSession(with engagement: DeviceEngagement, _ handover: Handover) {
    let world = FuzzWorld.standard
    let isUsable = (try? engagement.eDeviceKey.publicKey()) != nil && engagement.eDeviceKey.curve == .p256
    do throws(SessionError) {
        let session = try ReaderSession(
            engagement: engagement, handover: handover, eReaderKey: world.session.readerKey)
        demand(isUsable, "a session with a key that cannot be used")
        let stored = try? SessionTranscript(stored: session.transcript.encoded)
        demand(
            stored?.deviceEngagementBytes?.content == engagement.bytes,
            "the transcript has another engagement"
        )
    } catch {
        demand(!isUsable, "no session with a key that can be used")
    }
}
