package msg

import (
	"embed"
	"fmt"
	"io/fs"
	"slices"
	"strings"
)

// defs holds one folder per dialect, then package/Type.msg, package/Type.srv and package/Type.action.
//
//go:embed defs
var defs embed.FS

// dialects maps a dialect to its folders. Types in later folders replace those of earlier ones. std has the types of
// ROS itself. nubot is the main dialect, from nubot_ws and gazebo_visual. The other dialects contain the changes and
// additions of forks and other simulators. humanoid is from appendix 8 of Bestmann's thesis of April 2017, and
// humanoid_may2017 is from the package a month later.
var dialects = map[string][]string{
	"std":                 {"std"},
	"nubot":               {"std", "nubot"},
	"hawking":             {"std", "nubot", "hawking"},
	"simatch":             {"std", "nubot", "simatch"},
	"coach4sim":           {"std", "nubot", "coach4sim"},
	"single_nubot_gazebo": {"std", "nubot", "single_nubot_gazebo"},
	"humanoid":            {"std", "humanoid"},
	"humanoid_may2017":    {"std", "humanoid", "humanoid_may2017"},
}

// distributions maps a distribution of ROS 2 to its folders, as dialects does. Later distributions have other
// definitions than jazzy only for types that are not here. booster has the interfaces of Booster Robotics' robots, as
// robocup_demo and their SDK use them.
var distributions = map[string][]string{"humble": {"ros2", "booster", "ros2_humble"}, "jazzy": {"ros2", "booster"}}

// LoadROS2 returns a library with the embedded definitions of a distribution of ROS 2, and with common types:
// "humble", or "jazzy" for Iron and all later ones. The caller may add to it.
func LoadROS2(distribution string) (*Library, error) {
	l := &Library{grammar: ros2}
	folders, ok := distributions[distribution]
	if !ok {
		return nil, fmt.Errorf("distribution = %q: must be humble or jazzy", distribution)
	}
	if err := l.addFolders(folders); err != nil {
		return nil, err
	}
	shared, err := commonTypes()
	if err == nil {
		l.Merge(shared)
	}
	return l, err
}

// Dialects returns the names of dialects, sorted.
func Dialects() []string {
	var names []string
	for d := range dialects {
		names = append(names, d)
	}
	slices.Sort(names)
	return names
}

// Load returns a library with the embedded definitions of a dialect. The caller may add to it.
func Load(dialect string) (*Library, error) {
	l := &Library{}
	return l, l.AddDialect(dialect)
}

// AddDialect adds the embedded definitions of a dialect. They replace types of the same names.
func (l *Library) AddDialect(dialect string) error {
	folders, ok := dialects[dialect]
	if !ok {
		return fmt.Errorf("dialect = %q: must be one of %s", dialect, strings.Join(Dialects(), ", "))
	}
	return l.addFolders(folders)
}

// addFolders adds the definitions of embedded folders.
func (l *Library) addFolders(folders []string) error {
	for _, f := range folders {
		sub, err := fs.Sub(defs, "defs/"+f)
		if err != nil {
			return err
		}
		if err := l.AddFS(sub); err != nil {
			return err
		}
	}
	return nil
}
