package chip

// Key selects an image's random numbers.
type Key [2]uint32

// newKey mixes the bits of an image's key, so that any two select numbers that are independent (SplitMix64; Steele et
// al., OOPSLA 2014).
func newKey(k uint64) Key {
	k += 0x9E3779B97F4A7C15
	k = (k ^ k>>30) * 0xBF58476D1CE4E5B9
	k = (k ^ k>>27) * 0x94D049BB133111EB
	k ^= k >> 31
	return Key{uint32(k), uint32(k >> 32)}
}

// bits returns 32 random bits for an index. It is a hash of three rounds of 32-bit operations, which mixes in one half
// of the key before each of the first two. With two rounds, pixels whose indices differ in two bits would be
// correlated. Constants: C. Wellons, "Prospecting for hash functions" (triple32).
func (k Key) bits(index uint32) uint32 {
	h := index ^ k[0]
	h = (h ^ h>>17) * 0xed5ad4bb
	h += k[1]
	h = (h ^ h>>11) * 0xac4c1b51
	h = (h ^ h>>15) * 0x31848bab
	return h ^ h>>14
}

// steps is the number of values of the sum of four bytes, 0 to 1,020.
const steps = 4*255 + 1

// byteSum returns the sum of the four bytes, 0 to steps − 1.
func byteSum(bits uint32) uint32 {
	pairs := bits&0x00ff00ff + bits>>8&0x00ff00ff
	return (pairs + pairs>>16) & 0x3ff
}

// Coefficients of normal. The sum s has the variance 4·(256² − 1)/12 and the kurtosis 2.69999; with these coefficients
// the result has variance 1 and kurtosis 3, to 1e-7. Computed.
const (
	normalLinear float32 = 0.006421040612805972
	normalCubic  float32 = 5.773954283329995e-09
)

// normal turns a sum of four random bytes into a random number with mean 0, variance 1, skewness 0 and kurtosis 3, as
// of a normal distribution. The sum itself has too short tails (Irwin-Hall distribution); a cubic term stretches them.
// The largest result is 4.04.
func normal(sum uint32) float32 {
	s := float32(sum) - (steps-1)/2
	return s * (normalLinear + float32(normalCubic*(s*s)))
}
