// Source files from iOS contain `import ProximityReader`. This module re-exports the library under that name.
@_exported public import TapToPresent
