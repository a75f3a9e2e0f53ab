package sensors

import (
	"unsafe"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/sensors/imaging"
)

// Cache keeps what sensors of one world share: those of robots of one model differ in nothing that takes long to make. The zero value is
// ready. It belongs to the goroutine that makes the sensors; what it has made does not change, and any may use it.
type Cache struct {
	grains     map[imaging.Imager]*imaging.Grain
	occlusions map[vantage]*abstraction.SelfOcclusion
}

// vantage is a place on a robot; bodies that share their parts look alike.
type vantage struct {
	parts   *render.Part
	without string // parts that the camera does not see
	posB    mgl64.Vec3
}

// grain returns a chip's noise.
func (c *Cache) grain(chip *imaging.Imager) *imaging.Grain {
	return shared(&c.grains, *chip, func() *imaging.Grain { return imaging.NewGrain(chip) })
}

// selfOcclusion returns what a robot hides from a camera at a place on it.
func (c *Cache) selfOcclusion(site Site, posB mgl64.Vec3) *abstraction.SelfOcclusion {
	at := vantage{parts: unsafe.SliceData(site.Body.Parts), posB: posB}
	for _, h := range site.Hidden {
		at.without += h.Part + "\n"
	}
	return shared(&c.occlusions, at, func() *abstraction.SelfOcclusion { return newSelfOcclusion(site, posB) })
}

// shared returns what was made for a key, or makes it.
func shared[K comparable, V any](all *map[K]V, key K, build func() V) V {
	if v, ok := (*all)[key]; ok {
		return v
	}
	if *all == nil {
		*all = map[K]V{}
	}
	v := build()
	(*all)[key] = v
	return v
}
