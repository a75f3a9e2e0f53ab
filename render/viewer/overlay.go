package viewer

// Overlay is a kind of drawing over the window's image that the user can switch on.
type Overlay uint8

const (
	Labels   Overlay = iota // names, the ball's speed and height
	Contacts                // contact points of bodies
	Rays                    // beams of laser scanners and sonars
	Fields                  // fields of view of cameras
	Paths                   // planned paths of robots
	Overlays                // number of overlays
)

// overlayKeys are the keys that switch overlays.
var overlayKeys = map[rune]Overlay{'L': Labels, 'X': Contacts, 'B': Rays, 'V': Fields, 'P': Paths}

// Shows reports whether an overlay is switched on.
func (v *Viewer) Shows(o Overlay) bool { return v.overlays[o] }
