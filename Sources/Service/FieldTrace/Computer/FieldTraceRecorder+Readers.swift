package import PCSCTransport

extension FieldTraceRecorder {
    /// Records the readers that there are. It may have to ask their drivers, which takes the readers for a moment: call it
    /// before a phone is waited for.
    package func describeReaders(of service: PCSCService) async {
        for reader in (try? await service.readers()) ?? [] { record(.reader(NFCReaderFacts(reader))) }
    }

    /// Records what comes to the readers and leaves, until the task is cancelled. It takes no reader.
    package func watchReaders(of service: PCSCService) async {
        for await event in service.events() { record(.presence(PresenceFacts(event))) }
    }
}
