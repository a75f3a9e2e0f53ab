package robotio

import (
	"maps"
	"slices"

	"github.com/omnipitch/omnipitch/robotio/mapping"
	"github.com/omnipitch/omnipitch/worlds"
)

// Services returns the names of the services that a bridge serves at the common master, sorted. It returns the errors
// that Check finds.
func Services(w *worlds.World) ([]string, error) {
	all, err := check(w)
	if err != nil {
		return nil, err
	}
	names := map[string]bool{predictService: true, pauseService: true, stepService: true}
	for i := range w.Robots {
		r := &w.Robots[i]
		if r.ROS1.MasterPort != 0 {
			continue
		}
		for k := range r.Sensors {
			names[setLevelService(r, &r.Sensors[k])] = true
		}
		for _, profile := range mapping.ProfilesOf(r) {
			p := all[profile]
			for _, s := range mapping.Instances(p.Servers, p.NewContext(w, i)) {
				names[s.Name] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(names)), nil
}
