package render

// Figures of the look that renderers share, beside those of the Scene. Guesses, from photographs.
const (
	// RimShare is the width of the bright ring at a mirror's edge, a share of its radius in the image.
	RimShare = 0.012
	// TubeLight is the radiance of the dark inside of the tube that holds a mirror, and of what optics do not image.
	TubeLight = 0.0025
	// NearFloor is the height in metres below which less of the hall's light arrives.
	NearFloor = 0.25
	// ShadowTexels is how many texels the map of shadows has along the carpet's longer side: 3 cm on a field of 18 m.
	ShadowTexels = 768
	// ShadowMargin is how far that map reaches beyond the carpet, metres.
	ShadowMargin = 0.5
)
