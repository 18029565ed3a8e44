import Testing

/// All suites of this target: they count the descriptors of the process, and share the adapter of the bench.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct OneAfterAnother {}
