package render

// Radiance is the linear light of every pixel before sRGB encoding, rows from the top; 1 is full exposure. It is an
// estimate, and may exceed 1.
type Radiance struct {
	Width, Height int
	Light         []float32 // Height × Width × 3
	// Error is the standard error of Light, from the spread of the samples: Height × Width × 3.
	Error []float32
	// Samples is the smallest number of paths that any pixel has.
	Samples int
}

// NewRadiance returns a Radiance of zeros.
func NewRadiance(width, height int) *Radiance {
	n := 3 * width * height
	return &Radiance{Width: width, Height: height, Light: make([]float32, n), Error: make([]float32, n)}
}

// DefaultSamples is the number of paths per pixel if Tracing.Samples is 0.
const DefaultSamples = 64

// Tracing configures renderers that trace paths of light.
type Tracing struct {
	Samples int // paths per pixel; 0: DefaultSamples
	// Stop, if not nil, ends the tracing when it is closed. Images then have the samples traced so far, at least one
	// per pixel.
	Stop <-chan struct{}
	// Progress, if not nil, is called as the tracing of an image progresses. samples is how many samples each of its
	// pixels has so far, at least; of is how many each will have at the end. Any goroutine may call Progress.
	Progress func(samples, of int)
}
