package render

// Constants of shading that all renderers share. Guesses, from photographs.
const (
	// RimShare is the width of the bright ring at a mirror's edge, a share of its radius in the image.
	RimShare = 0.012
	// NearFloor is the height, metres, below which less ambient light arrives.
	NearFloor = 0.25
	// ShadowTexels is the number of texels of shadow maps along the carpet's longer side: 3 cm each on a field of 18 m.
	ShadowTexels = 768
	// ShadowMargin is how far shadow maps reach beyond the carpet, metres.
	ShadowMargin = 0.5
)
