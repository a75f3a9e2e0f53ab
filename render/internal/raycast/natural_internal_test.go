package raycast

import (
	"testing"

	"github.com/omnipitch/omnipitch/render/internal/rays"
)

// The surface layer reflects a fraction of the light for every material and direction. Together with the matt surface
// below, no surface reflects more than it receives.
func TestLayersReflectShares(t *testing.T) {
	for f0 := float32(0); f0 <= 1; f0 += 0.125 {
		for roughness := float32(0); roughness <= 1; roughness += 0.0625 {
			m := material{f0: rays.V(f0, f0, f0), roughness: roughness}
			for cos := float32(0); cos <= 1; cos += 1. / 64 {
				if share := m.layer(cos).X; !(share >= 0 && share <= 1) {
					t.Fatalf("f0 %v, roughness %v, cosine %v: %v", f0, roughness, cos, share)
				}
			}
		}
	}
}
