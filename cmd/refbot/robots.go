package main

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// maxRobots is the largest number of robots in a list. No world has as many robots.
const maxRobots = 100

var (
	single = regexp.MustCompile(`^/?[A-Za-z][A-Za-z0-9_]*$`)
	series = regexp.MustCompile(`^(/?[A-Za-z][A-Za-z0-9_]*?)(\d{1,3})\.\.(\d{1,3})$`)
)

// expand returns the namespaces in a list, with ranges written out: cyan1..3 becomes cyan1, cyan2 and cyan3.
func expand(list string) (names []string, err error) {
	if list == "" {
		return nil, errors.New("no robot: --robots or ROS_NAMESPACE must name one")
	}
	for word := range strings.SplitSeq(list, ",") {
		from, to, stem := 0, 0, ""
		if m := series.FindStringSubmatch(word); m != nil {
			stem = m[1]
			from, _ = strconv.Atoi(m[2])
			to, _ = strconv.Atoi(m[3])
		} else if !single.MatchString(word) {
			return nil, fmt.Errorf("--robots: %.80q: must be a name, or a row of names such as cyan1..5", word)
		}
		if from > to {
			return nil, fmt.Errorf("--robots: %.80q: must begin with the lower number", word)
		}
		for i := from; i <= to; i++ {
			name := "/" + strings.TrimPrefix(word, "/")
			if stem != "" {
				name = fmt.Sprintf("/%s%d", strings.TrimPrefix(stem, "/"), i)
			}
			if slices.Contains(names, name) {
				return nil, fmt.Errorf("--robots: %s is named twice", name)
			}
			if names = append(names, name); len(names) > maxRobots {
				return nil, fmt.Errorf("--robots: must name at most %d robots", maxRobots)
			}
		}
	}
	return names, nil
}
