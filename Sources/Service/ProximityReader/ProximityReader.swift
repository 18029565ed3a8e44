// Code from iOS says `import ProximityReader`: under this name it finds the library.
@_exported public import TapToPresent
