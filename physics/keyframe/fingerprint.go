package keyframe

// Fingerprint identifies the simulation of a key frame. It is a hash of the version of the format, and of the names of
// all parts with state, in their order.
type Fingerprint uint64

// Version is the version of the format of key frames. It must rise with any change to an Exchange method;
// TestKeyFramesHoldEveryField of the root package checks that.
const Version = 17

// NewFingerprint returns the fingerprint of a simulation without parts.
func NewFingerprint() Fingerprint {
	f := Fingerprint(14695981039346656037)
	f.AddNumber(Version)
	return f
}

// Add adds the names of parts.
func (f *Fingerprint) Add(names ...string) {
	for _, name := range names {
		for i := range len(name) {
			f.add(name[i])
		}
		f.add(0xff) // ends the name: no UTF-8 contains this byte
	}
}

// AddNumber adds a number.
func (f *Fingerprint) AddNumber(n uint64) {
	for i := range 8 {
		f.add(byte(n >> (8 * i)))
	}
}

// add performs one step of FNV-1a.
func (f *Fingerprint) add(b byte) { *f = (*f ^ Fingerprint(b)) * 1099511628211 }
