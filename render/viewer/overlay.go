package viewer

// Overlay is what the window draws over its image, if the user asks for it.
type Overlay uint8

const (
	Labels   Overlay = iota // names, the ball's speed and height
	Contacts                // where bodies touch
	Rays                    // of laser scanners and sonars
	Fields                  // fields of view of cameras
	Paths                   // where robots are about to drive
	Overlays                // how many there are
)

// overlayKeys switch them.
var overlayKeys = map[rune]Overlay{'L': Labels, 'X': Contacts, 'B': Rays, 'V': Fields, 'P': Paths}

// Shows tells whether an overlay is to be drawn.
func (v *Viewer) Shows(o Overlay) bool { return v.overlays[o] }
