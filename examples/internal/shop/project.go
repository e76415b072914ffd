// Package shop is a task for agents: a small Go project whose tests fail, and a script that mends it.
package shop

import "github.com/einoshell/einoshell/examples/internal/demo"

// Task is what an agent is to do.
const Task = "The tests of the Go project in your working directory fail. Find out why, mend the code, and show that they pass."

// Project is a small Go project with a mistake in it: Total adds where it
// should multiply.
var Project = demo.Project{
	"go.mod": "module shop\n\ngo 1.21\n",
	"README.md": `# shop

Prices of a small shop, in whole cents. Run the tests with: go test ./...
`,
	"total.go": `package shop

// Total is what quantity pieces cost.
func Total(price, quantity int) int {
	return price + quantity
}
`,
	"discount.go": `package shop

// Discount is what is left to pay of price after a voucher.
func Discount(price, voucher int) int {
	return price - voucher
}
`,
	"shop_test.go": `package shop

import "testing"

func TestTotal(t *testing.T) {
	for _, c := range []struct{ price, quantity, want int }{{250, 4, 1000}, {99, 1, 99}, {5, 0, 0}} {
		if got := Total(c.price, c.quantity); got != c.want {
			t.Errorf("Total(%d, %d) = %d, want %d", c.price, c.quantity, got, c.want)
		}
	}
}

func TestDiscount(t *testing.T) {
	for _, c := range []struct{ price, voucher, want int }{{1000, 250, 750}, {99, 0, 99}, {7, 7, 0}} {
		if got := Discount(c.price, c.voucher); got != c.want {
			t.Errorf("Discount(%d, %d) = %d, want %d", c.price, c.voucher, got, c.want)
		}
	}
}
`,
}
