// Package occupancy reads and writes maps of the ROS map server, which are a map.yaml and an image, and converts them
// to boxes and back.
//
//	grid, err := occupancy.Read("office.yaml", os.ReadFile)
//	boxes, err := grid.Boxes(0, 2.5) // walls of 2.5 m
//
// A cell has the value that the map server publishes in a nav_msgs/OccupancyGrid. Cells with the value Occupied are
// solid. Free and unknown cells are not, and neither is anything outside the image.
//
// A grid has its own frame M: the origin is the lower left corner of the image, x points right and y up. Grid.Origin is
// the pose of M in the world frame. Lengths are in metres and angles in radians.
//
// A Grid may be read by several goroutines.
package occupancy
