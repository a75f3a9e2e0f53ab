package bench

import (
	"fmt"
	"strconv"

	"github.com/omnipitch/omnipitch/physics/experiment"
)

// addCosts adds what one renderer's pictures of a growth cost.
func (r *Report) addCosts(s *growth, renderer string, all costs) {
	for _, camera := range s.cameras {
		for i, c := range all[camera] {
			name := fmt.Sprintf("%s_%d_%s_%s", s.name, s.numbers[i], camera, renderer)
			r.add(name, median(c.wall), "ms", len(c.wall))
			r.add(name+"_cpu", median(c.cpu), "ms", len(c.cpu))
		}
	}
}

// addTriangles adds how many triangles a rasteriser draws of a growth's pictures.
func (r *Report) addTriangles(s *growth, all costs) {
	for _, camera := range s.cameras {
		for i, c := range all[camera] {
			r.add(fmt.Sprintf("%s_%d_%s_triangles", s.name, s.numbers[i], camera), c.triangles, "triangles", 1)
		}
	}
}

// addBound adds what a picture's processor time is made of: so much for each pixel, for each triangle that it shows,
// and for each robot of the scene, whose shadow is drawn; fitted to the costs of one camera's pictures, each drawn
// alone, so that the squares of the relative errors are least.
func (r *Report) addBound(camera, renderer string, all []cost) error {
	rows, took := make([][]float64, len(all)), make([]float64, len(all))
	for i, c := range all {
		rows[i], took[i] = []float64{c.pixels / 1e6, c.triangles / 1e3, c.robots}, median(c.cpu)
	}
	x, worst, err := fitRelative(rows, took)
	if err != nil {
		return fmt.Errorf("cost of %s by %s: %w", camera, renderer, err)
	}
	name := "cost_" + camera + "_" + renderer
	r.add(name+"_megapixel_cpu", x[0], "ms", len(all))
	r.add(name+"_1000_triangles_cpu", x[1], "ms", len(all))
	r.add(name+"_robot_cpu", x[2], "ms", len(all))
	r.add(name+"_worst_error", 100*worst, "%", len(all))
	return nil
}

// plotCosts adds curves of what one renderer's pictures of a growth cost.
func plotCosts(p *experiment.Plot, s *growth, renderer string, all costs) {
	for _, camera := range s.cameras {
		wall, cpu := experiment.Curve{Name: camera + ", " + renderer + ": wall"},
			experiment.Curve{Name: camera + ", " + renderer}
		for i, c := range all[camera] {
			wall.X, wall.Y = append(wall.X, float64(i)), append(wall.Y, median(c.wall))
			cpu.X, cpu.Y = append(cpu.X, float64(i)), append(cpu.Y, median(c.cpu))
		}
		if s.together {
			cpu.Name += ": processors"
			p.Curves = append(p.Curves, wall)
		}
		p.Curves = append(p.Curves, cpu)
	}
}

// newCostPlot returns the empty plot of a growth.
func newCostPlot(s *growth) experiment.Plot {
	p := experiment.Plot{Name: s.name, Title: "what a picture at raw costs", XLabel: s.axis,
		YLabel: "processor time of a picture, ms", LogY: true}
	if s.together {
		p.YLabel = "time of a picture, ms"
	}
	for _, n := range s.numbers {
		p.Names = append(p.Names, strconv.Itoa(n))
	}
	return p
}
