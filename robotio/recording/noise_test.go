package recording

import "math/rand/v2"

// noise returns incompressible bytes, the same in each run.
type noise struct{ *rand.ChaCha8 }

func newNoise() noise { return noise{rand.NewChaCha8([32]byte{})} }

func (n noise) bytes(size int) []byte {
	b := make([]byte, size)
	n.Read(b)
	return b
}

// size returns the number of queued bytes.
func (b *budget) size() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.used
}
