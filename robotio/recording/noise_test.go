package recording

import "math/rand/v2"

// noise makes bytes that cannot be compressed, the same each time.
type noise struct{ *rand.ChaCha8 }

func newNoise() noise { return noise{rand.NewChaCha8([32]byte{})} }

func (n noise) bytes(size int) []byte {
	b := make([]byte, size)
	n.Read(b)
	return b
}

// size returns the bytes that wait.
func (b *budget) size() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.used
}
