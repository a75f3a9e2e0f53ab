package render

// Radiance is the light of every pixel before an image encodes it, rows from the top: linear, 1 is full exposure. It is
// an estimate: more than 1 and any colour may come of it.
type Radiance struct {
	Width, Height int
	Light         []float32 // Height × Width × 3
	// Error is Height × Width × 3: the standard error of Light, from the spread of the samples.
	Error []float32
	// Samples is how many paths each pixel has, at least.
	Samples int
}

// NewRadiance returns zeros.
func NewRadiance(width, height int) *Radiance {
	n := 3 * width * height
	return &Radiance{Width: width, Height: height, Light: make([]float32, n), Error: make([]float32, n)}
}

// DefaultSamples is how many paths a pixel gets if Tracing does not say.
const DefaultSamples = 64

// Tracing is how renderers work that trace paths of light.
type Tracing struct {
	Samples int // paths for each pixel; 0: DefaultSamples
	// Stop, if not nil, is closed when images are to be finished with the samples that there are: one at least.
	Stop <-chan struct{}
	// Progress, if not nil, is called when all pixels of an image have so many samples of those that they are to get;
	// from any goroutine.
	Progress func(samples, of int)
}
