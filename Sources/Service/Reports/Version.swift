/// What runs: these programs, the commit they were built from, and the libraries they use.
package enum Version {
    package static let number = "0.1.0"
}
