package keyframe

// Fingerprint tells what a key frame is of: the version of the program's state, and the names of all that has one, in
// their order.
type Fingerprint uint64

// Version is that of what key frames hold. It is raised whenever any Exchange changes; a test of the root package says
// when.
const Version = 6

// NewFingerprint returns that of nothing.
func NewFingerprint() Fingerprint {
	f := Fingerprint(14695981039346656037)
	f.AddNumber(Version)
	return f
}

// Add adds names.
func (f *Fingerprint) Add(names ...string) {
	for _, name := range names {
		for i := range len(name) {
			f.add(name[i])
		}
		f.add(0xff) // no byte of UTF-8: the end
	}
}

// AddNumber adds a number.
func (f *Fingerprint) AddNumber(n uint64) {
	for i := range 8 {
		f.add(byte(n >> (8 * i)))
	}
}

// add is a step of FNV-1a.
func (f *Fingerprint) add(b byte) { *f = (*f ^ Fingerprint(b)) * 1099511628211 }
