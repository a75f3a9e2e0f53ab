package simulation

import (
	"fmt"
	"regexp"
	"slices"

	"github.com/omnipitch/omnipitch/robotio/msg"
)

// filtered returns the entities that match all filters.
func (s *server) filtered(f *msg.EntityFilters) ([]entity, error) {
	name, err := regexp.CompilePOSIX("^(" + f.Filter + ")$") // the whole name must match, as in Gazebo
	if err != nil {
		return nil, fmt.Errorf("filter = %.200q: must be a regular expression, POSIX extended", f.Filter)
	}
	inBounds, err := overlaps(&f.Bounds)
	if err != nil {
		return nil, err
	}
	tagged, err := tagFilter(&f.Tags)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(s.entities(), func(e entity) bool {
		return f.Filter != "" && !name.MatchString(e.name) || inBounds != nil && !inBounds(&e) ||
			len(f.Categories) > 0 && !slices.Contains(f.Categories, e.info.Category) || !tagged(e.info.Tags)
	}), nil
}

// tagFilter returns a function that reports whether tags match the filter.
func tagFilter(f *msg.TagsFilter) (func(tags []string) bool, error) {
	if f.FilterMode > msg.FilterAll {
		return nil, fmt.Errorf("filter_mode = %d: must be %d (any) or %d (all)", f.FilterMode, msg.FilterAny,
			msg.FilterAll)
	}
	return func(tags []string) bool {
		n := 0
		for _, wanted := range f.Tags {
			if slices.Contains(tags, wanted) {
				n++
			}
		}
		return n == len(f.Tags) || n > 0 && f.FilterMode == msg.FilterAny
	}, nil
}
