import Testing

/// Everything here shares one nginx, the process's environment and its descriptors: one at a time.
@Suite(.serialized, .timeLimit(.minutes(20))) struct TransportSuite {}
