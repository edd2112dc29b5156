"""At most two customers of one colour on a route, said with load dimensions: one for the goods, one for each colour."""

import dacalns

COLOURS = ("red", "green", "blue")
PLACES = [(10, 20), (12, 24), (14, 28), (30, 20), (32, 12), (35, 5), (25, -10), (17, -12), (10, -15)]

model = dacalns.Model("at most two of a colour")
model.add_depot(0, 0)
for place, (x, y) in enumerate(PLACES):
    is_colour = [1 if place // 3 == number else 0 for number in range(len(COLOURS))]
    model.add_customer(x, y, delivery=(1, *is_colour))
model.add_vehicle_type(num_available=None, capacity=(6, *[2] * len(COLOURS)))

result = model.solve(stop=dacalns.MaxIterations(500), seed=1)
print("feasible" if result.feasible else "not feasible", len(result.routes), "routes")
for route in result.routes:
    print(sorted(COLOURS[(node - 1) // 3] for node in route))
