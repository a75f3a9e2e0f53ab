package dataset

// Category is a class of objects.
type Category struct {
	ID        int      `json:"id"` // from 1, as in COCO; the class in YOLO files is ID − 1
	Name      string   `json:"name"`
	Super     string   `json:"supercategory"`
	KeyPoints []string `json:"keypoints"` // names of the object's key points, in order
	Skeleton  [][2]int `json:"skeleton"`  // pairs of key points, counted from 1, that a line joins
}

// Categories of objects. Robots of the two teams are different categories, because users can join two categories more
// easily than separate one.
const (
	ball = iota
	cyanRobot
	magentaRobot
	goal
	person
	obstacle
	ballBeside
)

// Categories lists all categories, in the order of their IDs.
var Categories = []Category{
	ball:         {1, "ball", "ball", []string{"centre"}, [][2]int{}},
	cyanRobot:    {2, "robot_cyan", "robot", []string{"base", "top", "front"}, [][2]int{{1, 2}, {1, 3}}},
	magentaRobot: {3, "robot_magenta", "robot", []string{"base", "top", "front"}, [][2]int{{1, 2}, {1, 3}}},
	goal: {4, "goal", "goal", []string{"left_foot", "left_top", "right_top", "right_foot"},
		[][2]int{{1, 2}, {2, 3}, {3, 4}}},
	person:     {5, "person", "person", []string{"base", "top"}, [][2]int{{1, 2}}},
	obstacle:   {6, "obstacle", "obstacle", []string{"base", "top"}, [][2]int{{1, 2}}},
	ballBeside: {7, "ball_beside", "ball", []string{"centre"}, [][2]int{}},
}

// Values of the class image. The value of a category is its ID plus firstCategory.
const (
	classNothing  = iota // not imaged by the optics
	classHall            // walls and ceiling
	classFloor           // carpet and bare floor
	classMarking         // of the field
	classOther           // boards, props, and loose objects
	classSelf            // the camera's own robot
	firstCategory = 10
)

// pixelClasses are the names of the values of the class image, except for categories.
var pixelClasses = map[int]string{
	classNothing: "nothing", classHall: "hall", classFloor: "floor", classMarking: "marking", classOther: "other",
	classSelf: "self",
}

// classNames returns the names of all values of the class image.
func classNames() map[int]string {
	all := map[int]string{}
	for number, name := range pixelClasses {
		all[number] = name
	}
	for i := range Categories {
		all[firstCategory+Categories[i].ID] = Categories[i].Name
	}
	return all
}
