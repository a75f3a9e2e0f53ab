package occupancy

import (
	"bufio"
	"fmt"
	"io"
)

// Brightness of pixels, and thresholds, as map savers write them. Unknown pixels have the probability 0.196, which is
// why the threshold of free cells must not be larger.
const (
	freePixel, unknownPixel, occupiedPixel = 254, 205, 0
	occupiedThresh, freeThresh             = 0.65, 0.196
)

// WritePGM writes the image of a map. Cells that are neither free nor occupied are unknown.
func (g *Grid) WritePGM(w io.Writer) error {
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "P5\n%d %d\n255\n", g.Width, g.Height)
	for y := g.Height - 1; y >= 0; y-- {
		for _, v := range g.Cells[y*g.Width:][:g.Width] {
			switch v {
			case Free:
				out.WriteByte(freePixel)
			case Occupied:
				out.WriteByte(occupiedPixel)
			default:
				out.WriteByte(unknownPixel)
			}
		}
	}
	return out.Flush()
}

// WriteYAML writes a map.yaml for an image, whose name is relative to the folder of the map.yaml.
func (g *Grid) WriteYAML(w io.Writer, image string) error {
	_, err := fmt.Fprintf(w, "image: %q\nmode: trinary\nresolution: %v\norigin: [%v, %v, %v]\nnegate: 0\n"+
		"occupied_thresh: %v\nfree_thresh: %v\n", image, g.Resolution, g.Origin.X, g.Origin.Y, g.Origin.Yaw,
		occupiedThresh, freeThresh)
	return err
}
